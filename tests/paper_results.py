"""Made-up results of the paper's experiments, in the shape of `results.json`."""

from addhash.paper.experiments import example
from addhash.paper.experiments.step import Settings

SYNTHETIC_SIZES = (128, 256, 512, 1024)
LANGUAGE_SIZES = tuple(2**i for i in range(4, 13))
SMS_SIZES = tuple(2**i for i in range(4, 14))
SHIFT = {"ah": 0.0, "ht": -0.4}


def synthetic_part(n):
    curve = [[p / 10, (1 - p / 10) ** n, 0.05] for p in range(11)]
    return {
        **{
            method: {
                str(size): [[p, mean + shift / size, spread] for p, mean, spread in curve]
                for size in SYNTHETIC_SIZES
            }
            for method, shift in SHIFT.items()
        },
        "exact": curve,
        "difference": {
            str(size): {
                "largest": 0.3 / size,
                "p": 0.5,
                "interval": [-1.0 / size, 1.5 / size],
                "farthest": 1.5 / size,
            }
            for size in SYNTHETIC_SIZES
        },
    }


def synthetic_results():
    ngrams = {str(n): synthetic_part(n) for n in (1, 2, 4, 5)}
    return synthetic_part(3) | {"length": 100, "repeats": 100, "ngrams": ngrams}


def language_part(top, n):
    """Accuracies that grow with L to about `top`, and are best for n = 3."""

    def accuracy(size, shift):
        return top - 60 / size**0.5 - 2 * abs(n - 3) + shift

    return {
        **{
            method: {
                str(size): {"accuracy": accuracy(size, shift), "se": 0.2} for size in LANGUAGE_SIZES
            }
            for method, shift in SHIFT.items()
        },
        "difference": {str(size): {"accuracy": 0.4, "se": 0.1} for size in LANGUAGE_SIZES},
    }


def official_part(top, n):
    return language_part(top, n) | {"known": 10_500, "asked": 10_500}


def split_part(top, n):
    return language_part(top, n) | {"paragraphs": 11_750, "repeats": 10}


def curve_part(measured):
    counts = {"5": 5.0, "10": 10.0, "20": 20.0, "40": 37.6}
    result = {}
    for method, shift in SHIFT.items():
        result[method] = {
            "points": {
                name: {"accuracy": 100 - 40 * count**-0.27 + shift, "se": 0.3, "count": count}
                for name, count in counts.items()
            },
            "law": {"scale": 0.4, "exponent": 0.27},
            "at_500": {"accuracy": 92.5 + shift, "se": 0.2},
        }
        if measured:
            result[method]["measured"] = 92.9 + shift
    return result


def network_part(error):
    return {
        "accuracy": 84.0,
        "se": error,
        "features": 2379,
        "epochs": 20,
        "rate": 1e-3,
        "repeats": 3,
    }


def language_results():
    ngrams = (1, 2, 4, 5)
    return {
        "full": {"not_run": "The data folder has no x_train.txt."},
        "subset-21": official_part(95, 3)
        | {"ngrams": {str(n): official_part(95, n) for n in ngrams}}
        | {"curve": curve_part(True), "network": network_part(None)},
        "head-235": split_part(86, 3)
        | {"ngrams": {str(n): split_part(86, n) for n in ngrams}}
        | {"curve": curve_part(False), "network": network_part(0.3)},
    }


def sms_measures(size, shift):
    errors = {"acc": 0.03, "sc": 0.16, "bh": 0.02, "mcc": 0.001}
    return {
        "acc": 97.5 - 40 / size + shift,
        "sc": 88 - 300 / size + shift,
        "bh": 1 + 100 / size + shift,
        "mcc": 0.9 - 5 / size,
        "se": errors,
    }


def sms_part(messages, lower):
    return {
        **{
            method: {str(size): sms_measures(size, shift - lower) for size in SMS_SIZES}
            for method, shift in SHIFT.items()
        },
        "difference": {str(size): sms_measures(size, 0.0) for size in SMS_SIZES},
        "messages": messages,
        "repeats": 100,
    }


def sms_results():
    reference = {
        name: {"first": sms_measures(4096, 0.0), "random": sms_measures(4096, -0.1)}
        for name in ("svm", "ah")
    }
    return sms_part(5574, 0) | {"unique": sms_part(5171, 0.5), "reference": reference}


def full_results():
    """Return results of all experiments, as a run without the full WiLI-2018 gives them."""
    (step,) = example.steps(Settings())
    return {
        "about": {
            "format": 1,
            "addhash": "0.1.0",
            "seed": 0,
            "quick": False,
            "machine": {
                "cores": 2,
                "instruction_set": "avx2",
                "python": "3.11.7",
                "versions": {"numpy": "2.4.6", "scikit-learn": "1.9.1"},
            },
        },
        "finished": {"example": 0.5, "sms, halves": 1234.0},
        "example": step.run(lambda fraction: None),
        "synthetic": synthetic_results(),
        "languages": language_results(),
        "sms": sms_results(),
    }
