"""The files of the paper's data sets, as published: where they are, their sizes and digests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Archive:
    """The zip file of a data set, as published.

    `sha256` is None if only the digests of its members are known.
    """

    name: str
    url: str
    home: str
    page: str
    title: str
    sha256: str | None = None
    old_name: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the file may have."""
        return (self.name,) if self.old_name is None else (self.name, self.old_name)


@dataclass(frozen=True)
class DataFile:
    """A file of a data set; `path` is relative to the data folder."""

    path: str
    size: int
    sha256: str
    archive: Archive
    is_published: bool = True

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


_UCI = Archive(
    "sms+spam+collection.zip",
    "https://archive.ics.uci.edu/static/public/228/sms+spam+collection.zip",
    "the UCI Machine Learning Repository, data set 228",
    "https://archive.ics.uci.edu/dataset/228/sms+spam+collection",
    "the SMS Spam Collection",
    old_name="smsspamcollection.zip",
)
_ZENODO = Archive(
    "wili-2018.zip",
    "https://zenodo.org/records/841984/files/wili-2018.zip",
    "Zenodo, record 841984",
    "https://zenodo.org/records/841984",
    "WiLI-2018",
    "727e52ca4e13400e6def1b1b594ca12c8b7fd49ad9d45fd5c9e57a1f6d3b7a3f",
)

SMS = DataFile(
    "sms-spam/SMSSpamCollection",
    477_907,
    "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    _UCI,
)

# Texts and labels, their sizes and SHA-256; head-235 and subset-21 are excerpts of the published
# files.
_WILI = """\
x_train.txt           64085137 afac7e069450ec7ac2995c7b8203ae9445404a68dbc7a66fedb0f64d3720a12e
y_train.txt             480500 bd0d63a9ab19cb15594588d1bb1b43c4b1b39d7f102656a391c259ca862e0753
x_test.txt            65166417 c06db2b42ae5a29428aca5ab9505c5117cbdeb82538eb1b087f55a6627c45556
y_test.txt              480500 2fbc58bc6f34c8cea1587396d82986a2637adf5ecb2b5cbd8f2a20be0f81ad11
subset-21/x_train.txt  5848235 05ddeac0e61329bc97cc5a54677af67bcba59ae6021c3cad68b76a926073691f
subset-21/y_train.txt    42000 59545ac7459c4b84c08e9b0623930199cb9f89d4c6fbac669a5cab470f1609d3
subset-21/x_test.txt   5924122 a80e133e136aad537de80f4c1fac60362e6d0f40bf9d1f8cd11101baba403e4d
subset-21/y_test.txt     42000 703b9234949a9b7821c1226007a0eaac79841b69eee0938e572782a09c8a85f1
head-235/x.txt         6614983 ff0fd91f4b09cddd6655a6d268c17f5e82616c2c3c03386a46a97ad35e0d69fc
head-235/y.txt           48080 39d43e14f67e605d69b4ecf3c82ae0fedf26f7da90a5eb0416e03546b414f96e
"""
WILI = {
    name: DataFile(f"wili-2018/{name}", int(size), sha256, _ZENODO, is_published="/" not in name)
    for name, size, sha256 in map(str.split, _WILI.splitlines())
}
