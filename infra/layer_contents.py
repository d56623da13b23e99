"""What is left out of the dependency layers, by name and with the reason."""

from __future__ import annotations

RUNTIME_BRINGS = ("boto3", "botocore", "jmespath", "s3transfer")
"""In every Lambda runtime. They are resolved with each layer, so that what stays fits them, and then left out."""

ONLY_BOTOCORE_NEEDS = ("python-dateutil", "six", "urllib3")
"""Beside botocore in the runtime; left out of layers in which nothing else needs them."""

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "deps-core": ONLY_BOTOCORE_NEEDS,
    "deps-postgres": ("urllib3",),
    # opensearch-py does not import gRPC unless asked for that transport; requests it does, whatever the transport.
    "deps-search": ("grpcio", "opensearch-protobufs", "protobuf", "typing-extensions"),
    "deps-tokens": (),
    # Of wordllama only its weights are read, by safetensors, tokenizers and numpy; the rest would download models.
    "deps-vectors": (
        "annotated-types",
        "anyio",
        "certifi",
        "charset-normalizer",
        "click",
        "filelock",
        "fsspec",
        "h11",
        "hf-xet",
        "httpcore2",
        "httpx2",
        "huggingface-hub",
        "idna",
        "packaging",
        "pydantic",
        "pydantic-core",
        "pyyaml",
        "requests",
        "toml",
        "tqdm",
        "truststore",
        "typing-extensions",
        "typing-inspection",
        "urllib3",
    ),
}
"""Distributions by layer, besides what the runtime brings."""

NEVER_LOADED = (
    "**/__pycache__",
    "**/*.pyi",
    "**/*.c",
    "**/*.h",
    "**/*.pxd",
    "**/*.pyx",
    "bin",
    "*.dist-info/RECORD",
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "*.dist-info/direct_url.json",
    "*.dist-info/uv_cache.json",
    "*.dist-info/uv_build.json",
    "numpy/**/tests",
    "numpy/_core/include",
    "numpy/f2py",
    "numpy/doc",
    "tests",
    "wrapt-stubs",
)
"""Files and folders of what stays that no import reaches; the names are those below `python/`."""
