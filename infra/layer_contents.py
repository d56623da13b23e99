"""Distributions and files left out of the dependency layers, with the reasons."""

from __future__ import annotations

RUNTIME_BRINGS = ("boto3", "botocore", "jmespath", "s3transfer")
"""Part of every Lambda runtime: resolved with each layer, so that the rest is compatible, and then left out."""

ONLY_BOTOCORE_NEEDS = ("python-dateutil", "six", "urllib3")
"""Come with botocore in the runtime; left out of layers in which nothing else needs them."""

_IN_DEPS_CORE = ("annotated-types", "pydantic", "pydantic-core", "typing-extensions", "typing-inspection")
"""Packages in deps-core, which every function with these layers has too."""

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "deps-core": ONLY_BOTOCORE_NEEDS,
    "deps-model": (*ONLY_BOTOCORE_NEEDS, *_IN_DEPS_CORE),
    "deps-openai": _IN_DEPS_CORE,
    "deps-models": (*ONLY_BOTOCORE_NEEDS, *_IN_DEPS_CORE),
    "deps-chat": (*ONLY_BOTOCORE_NEEDS, *_IN_DEPS_CORE),
    # urllib3 stays: what comes with botocore need not be the version that dulwich asks for.
    "deps-contribution": (),
    "deps-documents": (),
    "deps-uploads": (),
    "deps-mcp": _IN_DEPS_CORE,
    "deps-policies": (),
    "deps-postgres": ("urllib3",),
    "deps-snowflake": (),
    # opensearch-py imports gRPC only for that transport, but `requests` for any.
    "deps-search": ("grpcio", "opensearch-protobufs", "protobuf", "typing-extensions"),
    # What deps-search has already, which the one function with this layer has too.
    "deps-sync": ("urllib3",),
    "deps-tokens": (),
    # Only wordllama's weights are used, read by safetensors, tokenizers and numpy; the rest is for downloading models.
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
"""Distributions left out by layer, besides those of the runtime."""

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
    # The client that waits for nothing, and the sources of what is compiled.
    "snowflake/connector/aio",
    "snowflake/connector/_internal/nanoarrow_cpp",
    "tests",
    "wrapt-stubs",
)
"""Files and folders of the remaining distributions that are never imported, relative to `python/`."""
