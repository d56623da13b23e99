"""Python's codecs for the encodings in which PostgreSQL stores text."""

from __future__ import annotations

_CODECS = {
    "SQL_ASCII": "utf-8",
    "UTF8": "utf-8",
    "EUC_CN": "gb2312",
    "EUC_JIS_2004": "euc_jis_2004",
    "EUC_JP": "euc_jp",
    "EUC_KR": "euc_kr",
    "ISO_8859_5": "iso8859_5",
    "ISO_8859_6": "iso8859_6",
    "ISO_8859_7": "iso8859_7",
    "ISO_8859_8": "iso8859_8",
    "JOHAB": "johab",
    "KOI8R": "koi8_r",
    "KOI8U": "koi8_u",
    "LATIN1": "iso8859_1",
    "LATIN2": "iso8859_2",
    "LATIN3": "iso8859_3",
    "LATIN4": "iso8859_4",
    "LATIN5": "iso8859_9",
    "LATIN6": "iso8859_10",
    "LATIN7": "iso8859_13",
    "LATIN8": "iso8859_14",
    "LATIN9": "iso8859_15",
    "LATIN10": "iso8859_16",
    "UHC": "cp949",
    "WIN866": "cp866",
    "WIN874": "cp874",
    "WIN1250": "cp1250",
    "WIN1251": "cp1251",
    "WIN1252": "cp1252",
    "WIN1253": "cp1253",
    "WIN1254": "cp1254",
    "WIN1255": "cp1255",
    "WIN1256": "cp1256",
    "WIN1257": "cp1257",
    "WIN1258": "cp1258",
}


def codec_of(server_encoding: str) -> str:
    """The codec of a server's encoding; what has none, such as `EUC_TW`, is read as ASCII and other bytes.

    SQL_ASCII says nothing about its bytes, which mostly are UTF-8.
    """
    return _CODECS.get(server_encoding.upper(), "ascii")
