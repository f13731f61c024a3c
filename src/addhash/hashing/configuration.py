"""How tokens are hashed, and whether two documents are hashed the same way."""

from dataclasses import dataclass, field
from typing import Any

from addhash.errors import ConfigurationMismatchError, ParameterError
from addhash.hashing.key import KEYS_ARE_NOT_PICKLED, Key
from addhash.hashing.randomizers import make_randomizer
from addhash.parameters import DOCUMENT, RandomizerName, check_values
from addhash.runtime import native


@dataclass(frozen=True)
class HashConfiguration:
    """Everything a sum of hashes depends on besides the tokens. The key itself is not kept."""

    n_features: int
    randomizer: RandomizerName
    fingerprint: bytes  # of the key; empty without a key
    modulus: int
    hasher: native.Randomizer = field(compare=False, repr=False)

    @property
    def has_default_modulus(self) -> bool:
        """Whether the modulus is 2**n_features."""
        return self.modulus == 1 << self.n_features

    def __copy__(self) -> "HashConfiguration":
        return self

    def __deepcopy__(self, memo: Any) -> "HashConfiguration":
        return self

    def __reduce__(self) -> Any:
        if self.fingerprint:
            raise ParameterError(KEYS_ARE_NOT_PICKLED)
        modulus = None if self.has_default_modulus else self.modulus
        return configure, ("HashConfiguration", self.n_features, self.randomizer, None, modulus)


def configure(
    owner: str,
    n_features: Any,
    randomizer: Any = "shake256",
    key: Any = None,
    modulus: Any = None,
) -> HashConfiguration:
    """Check the parameters of `owner` and return the resulting configuration."""
    key = Key.wrapped(key)
    values = {"n_features": n_features, "randomizer": randomizer, "key": key, "modulus": modulus}
    check_values(owner, DOCUMENT, values)
    n_features = int(n_features)
    return HashConfiguration(
        n_features,
        randomizer,
        b"" if key is None else key.fingerprint(),
        1 << n_features if modulus is None else int(modulus),
        make_randomizer(randomizer, n_features, key),
    )


def check_alike(a: HashConfiguration, b: HashConfiguration, with_modulus: bool = True) -> None:
    """Refuse to mix what was hashed differently, naming what differs."""
    if a is b or a == b:
        return
    differences = []
    if a.n_features != b.n_features:
        differences.append(f"n_features ({a.n_features} and {b.n_features})")
    if a.randomizer != b.randomizer:
        differences.append(f"randomizer ({a.randomizer!r} and {b.randomizer!r})")
    if a.fingerprint != b.fingerprint:
        differences.append(f"key ({_shown_key(a)} and {_shown_key(b)})")
    are_default = a.has_default_modulus and b.has_default_modulus
    if with_modulus and a.modulus != b.modulus and not are_default:
        differences.append(f"modulus ({_shown_modulus(a)} and {_shown_modulus(b)})")
    if differences:
        raise ConfigurationMismatchError(
            f"The documents differ in {', '.join(differences)};"
            " only documents hashed the same way can be mixed."
        )


def _shown_key(configuration: HashConfiguration) -> str:
    fingerprint = configuration.fingerprint
    return f"fingerprint {fingerprint.hex()[:16]}" if fingerprint else "none"


def _shown_modulus(configuration: HashConfiguration) -> str:
    modulus = configuration.modulus
    if configuration.has_default_modulus:
        return f"2**{configuration.n_features}"
    return str(modulus) if modulus < 10**20 else f"a number of {modulus.bit_length()} bits"
