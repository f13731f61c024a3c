"""Changes to documents and model files that leave their layout whole.

Blind changes seldom get past a header. These take the bytes apart, change some of the values, and
lay them down anew, so that the checks behind the header are reached. Each function takes bytes, a
source of random numbers, and the blind mutator of libFuzzer, for what has no layout of its own.
"""

import copy
import json
import struct

import numpy as np

from addhash import DocumentHash
from addhash.documents import blob
from addhash.documents.state import LARGEST
from addhash.files.model_file import DTYPES, LENGTH_BYTES

# One in so many changes is a blind one of the whole.
BLIND = 8
EDGES = [0, 1, 2, 8, 127, 255, 2**15, 2**20, 2**31 - 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63]
INTEGERS = [*EDGES, *(-edge for edge in EDGES)]
FLOATS = [0.0, -0.0, 0.5, 1.0, -1.0, 5e-324, 1e-300, 1e300, float("inf"), float("nan")]
# Stands for lists inside of lists: JSON that is too deep to be written is put together as text.
DEEP = "@deep"
TEXTS = ["", "a", "(", "[a-", r"(?:)*\1", "\0", "\ud800", "é" * 50, "char", "bits", "O", "cp037"]
VALUES = [None, True, False, *INTEGERS, 10**400, *FLOATS, *TEXTS, DEEP, [], {}, [1, 2], {"a": 1}]


def change_model_file(data, random, blind):
    """Change settings or arrays of a model file."""
    if random.randrange(BLIND):
        try:
            file = _ModelFile(data)
            for _ in range(random.choice((1, 1, 1, 2, 4))):
                random.choice(file.CHANGES)(file, random, blind)
            return file.joined(random)
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            RecursionError,
            TypeError,
            ValueError,
        ):
            pass  # what is damaged already is damaged further
    return blind(data)


class _ModelFile:
    """A model file, taken apart."""

    def __init__(self, data):
        start = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
        header = json.loads(data[LENGTH_BYTES:start])
        self.about = json.loads(header.pop("__metadata__")["addhash"])
        self.arrays = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            content = bytearray(data[start + begin : start + end])
            self.arrays[name] = [entry["dtype"], entry["shape"], content]

    def joined(self, random):
        """Return the file: arrays of large items first, so that all are aligned."""
        header = {"__metadata__": {"addhash": _json(self.about, random)}}
        contents = []
        end = 0
        for name, (dtype, shape, content) in sorted(
            self.arrays.items(), key=lambda array: -DTYPES[array[1][0]].itemsize
        ):
            begin, end = end, end + len(content)
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
            contents.append(content)
        text = json.dumps(header, separators=(",", ":")).encode()
        return len(text).to_bytes(LENGTH_BYTES, "little") + text + b"".join(contents)

    def change_settings(self, random, blind):
        name = "settings" if random.randrange(8) else random.choice(list(self.about))
        self.about[name] = _changed_json(self.about[name], random)

    def change_values(self, random, blind):
        """Change items of an array: numbers at the edges of their types, or near to others."""
        dtype, _, content = self._some_array(random)
        items = np.frombuffer(content, DTYPES[dtype])
        for _ in range(random.choice((1, 1, 1, 3))):
            at = random.randrange(len(items))
            other = items[random.randrange(len(items))].item()
            edges = FLOATS if dtype in ("F32", "F64") else INTEGERS
            value = random.choice((other, other + 1, other - 1, -other, random.choice(edges)))
            if dtype not in ("F32", "F64"):
                bits = 8 * items.itemsize
                items.view(f"<u{items.itemsize}")[at] = value % (1 << bits)
            else:
                with np.errstate(over="ignore"):
                    items[at] = value

    def change_bytes(self, random, blind):
        """Change an array blindly; one of a single dimension may become shorter or longer."""
        array = dtype, shape, content = self._some_array(random)
        size = DTYPES[dtype].itemsize
        changed = blind(bytes(content))
        if len(shape) == 1:
            array[1] = [len(changed) // size]
            array[2] = bytearray(changed[: len(changed) // size * size])
        else:
            content[:] = changed[: len(content)].ljust(len(content), b"\0")

    def change_rows(self, random, blind):
        """Take a row away, or double one: of an array, or of all that have as many."""
        _, (rows, *_), _ = chosen = self._some_array(random)
        at = random.randrange(rows)
        doubled = random.random() < 0.5
        for array in self.arrays.values() if random.randrange(4) else [chosen]:
            _, shape, content = array
            if shape and shape[0] == rows:
                width = len(content) // rows
                row = content[at * width : (at + 1) * width]
                content[at * width : (at + 1) * width] = row * 2 if doubled else b""
                shape[0] += 1 if doubled else -1

    def change_json(self, random, blind):
        """Change what an array of JSON says."""
        name = random.choice(["classes", "declared"])
        array = self.arrays[name]
        text = _json(_changed_json(json.loads(array[2]), random), random).encode()
        array[1], array[2] = [len(text)], bytearray(text)

    def change_array(self, random, blind):
        """Change an array's type, shape or name, take it away, or double it."""
        name = random.choice(list(self.arrays))
        how = random.randrange(5)
        if how == 0:
            self.arrays[name][0] = random.choice(list(DTYPES))
        elif how == 1:
            random.shuffle(self.arrays[name][1])
        elif how == 2:
            self.arrays[name][1] = _changed_json(self.arrays[name][1], random)
        elif how == 3:
            del self.arrays[name]
        else:
            self.arrays[random.choice([*self.arrays, "x"])] = copy.deepcopy(self.arrays[name])

    def _some_array(self, random):
        return random.choice([array for array in self.arrays.values() if array[2]])

    CHANGES = (
        change_settings,
        change_settings,
        change_values,
        change_values,
        change_values,
        change_bytes,
        change_bytes,
        change_rows,
        change_json,
        change_array,
    )


def _json(value, random):
    """Return JSON, in which lists go as deep as a reader may go, or deeper."""
    text = json.dumps(value, separators=(",", ":"))
    if DEEP not in text:
        return text
    depth = random.choice((50, random.randrange(900, 1000), 5000))
    return text.replace(f'"{DEEP}"', "[" * depth + "]" * depth)


def _changed_json(value, random):
    """Return what JSON holds with one value changed, anywhere inside."""
    whole = [value]
    places = [(whole, 0)]
    for container, key in places:  # which grow meanwhile
        inner = container[key]
        if isinstance(inner, dict | list):
            keys = inner if isinstance(inner, dict) else range(len(inner))
            places += [(inner, key) for key in keys]
    container, key = random.choice(places)
    old = container[key]
    how = random.randrange(6)
    if how == 0 and container is not whole:
        del container[key]
    elif how == 1 and isinstance(old, dict):
        old[random.choice(["x", "", *old])] = copy.copy(random.choice(VALUES))
    elif how == 1 and isinstance(old, list):
        old.insert(random.randint(0, len(old)), copy.copy(random.choice([*VALUES, *old])))
    elif how == 2 and type(old) in (int, float):
        container[key] = random.choice((old + 1, old - 1, -old, old * 2, float(old)))
    elif how == 2 and isinstance(old, str):
        at = random.randint(0, len(old))
        container[key] = old[:at] + random.choice([*TEXTS, ""]) + old[at + random.randrange(3) :]
    elif how == 3:
        other, place = random.choice(places)
        if not isinstance(other[place], dict | list):  # which might hold themselves then
            container[key] = other[place]
    else:
        container[key] = copy.copy(random.choice(VALUES))
    return whole[0]


def change_document(data, random, blind):
    """Change fields, sums or tokens of the bytes of a document, which have no checksum yet."""
    if random.randrange(BLIND):
        try:
            return _change_document(data, random, blind)
        except (struct.error, ArithmeticError, LookupError, TypeError, ValueError):
            pass
    return blind(data)


FIELDS = ["magic", "version", "randomizer", "flags", "n_features", "count", "modulus_bytes",
          "sum_bytes", "zeros", "n_tokens", "fingerprint"]  # fmt: skip


def _change_document(data, random, blind):
    fields = dict(zip(FIELDS, blob.HEADER.unpack_from(data), strict=True))
    modulus_end = blob.HEADER.size + fields["modulus_bytes"]
    sums_end = modulus_end + fields["n_features"] * fields["sum_bytes"]
    modulus = data[blob.HEADER.size : modulus_end]
    sums = np.frombuffer(data[modulus_end:sums_end], f"<i{fields['sum_bytes']}").astype(np.int64)
    tokens = data[sums_end:]
    how = random.randrange(7)
    if how == 0:
        name = random.choice(["randomizer", "flags", "n_features", "count", "modulus_bytes",
                              "sum_bytes", "n_tokens"])  # fmt: skip
        fields[name] += random.choice((1, -1, 2, 8, random.choice(INTEGERS)))
    elif how == 1:  # other sums, of the same parity
        sums[random.randrange(len(sums))] += 2 * random.choice((1, -1, 100, LARGEST // 2))
        fields["sum_bytes"] = random.choice((fields["sum_bytes"], blob._sum_bytes(sums)))
    elif how == 2:  # more or fewer sums
        sums = np.resize(sums, random.choice((8, 16, 56, 64, 72, 128)))
        fields["n_features"] = len(sums)
    elif how == 3:
        modulus = blind(modulus)
        fields["modulus_bytes"] = len(modulus)
    elif how == 4:
        fields["flags"] ^= random.choice((blob.IS_STRICT, blob.HAS_KEY, 0))
        tokens = blind(tokens)
    elif how == 5:  # a strict document of other tokens
        document = DocumentHash(len(sums), strict=True)
        document.update(blind(tokens).split(b"\0"))
        return document.to_bytes()[: -blob.CHECKSUM_BYTES]
    else:
        fields["count"] += 2 * random.choice((1, -1, random.choice(INTEGERS)))
    body = modulus + sums.astype(f"<i{fields['sum_bytes']}").tobytes() + tokens
    return blob.HEADER.pack(*fields.values()) + body
