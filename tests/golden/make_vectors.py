"""Write vectors.json: what the randomizers give, frozen. Run once for each new randomizer."""

import json
from pathlib import Path

from tests.oracle import DIGESTS

TOKENS = ["", "a", "abc", "addhash", "größe", "語", "😀", "fifteen bytes !", "x" * 16, "y" * 200]
KEYS = [None, b"k", b"0123456789abcdef"]
WIDTHS = [8, 64, 1000, 2048]

if __name__ == "__main__":
    vectors = [
        {
            "randomizer": name,
            "key": None if key is None else key.hex(),
            "bits": width,
            "digests": {token: DIGESTS[name](token.encode(), width, key).hex() for token in TOKENS},
        }
        for name in DIGESTS
        for key in KEYS
        for width in WIDTHS
    ]
    path = Path(__file__).with_name("vectors.json")
    path.write_text(json.dumps(vectors, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
