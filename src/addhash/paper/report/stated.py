"""What the paper states: the numbers that ours are compared with."""

PAPER_URL = "https://arxiv.org/abs/2102.03943"

MATRIX = [
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    [0, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
]
TRICK_SIMILARITIES = [0.7302967433402215, 0.0, 0.0]
ADDITIVE_SIMILARITIES = [0.7778061881946695, -0.1737020834449128, -0.25833561143518957]

# Percentages. The first holds for these L, the second is that of the network of reference [11].
LANGUAGES_ACCURACY = 92.16
LARGE_SIZES = ("2048", "4096")
NETWORK_ACCURACY = 88.30

# Accuracy, spam caught and blocked hams in percent; half a unit of the last digit that is printed;
# and the support vector machine of reference [12].
SMS = {"acc": 97.41, "sc": 87.5, "bh": 1.05}
SMS_ROUNDING = {"acc": 0.005, "sc": 0.05, "bh": 0.005}
SVM = {"acc": 97.64, "sc": 83.1, "bh": 0.18}
