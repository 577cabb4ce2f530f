/*
 * Is it text at all? A few odd bytes don't make a text binary: `find -print0` prints a NUL per name. Neither
 * does ISO 8859-1, whose letters stand next to ASCII letters.
 */
#include <string.h>

#include "kinds/binary.h"
#include "base/ascii.h"
#include "text/utf16.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    PROBE = 4096,      /* bytes searched for a document type */
    OLDEST_CLASS = 45, /* major version of Java 1.1; a fat Mach-O holds fewer architectures than that */
    MOST_ICONS = 256,
    MOST_TABLES = 128
};

typedef struct {
    const char *bytes;
    size_t n;
    const char *type;
} signature;

/* ---- known types ---- */

/* Signatures that no text shares come first, then formats whose first bytes alone are too weak a sign. */

/* clang-format off */
#define START(bytes, type) {bytes, sizeof(bytes) - 1, type}

static const signature signatures[] = {
    START("\x89PNG\r\n\x1A\n", "image/png"),
    START("\xFF\xD8\xFF", "image/jpeg"),
    START("GIF87a", "image/gif"), START("GIF89a", "image/gif"),
    START("II*\x00", "image/tiff"), START("MM\x00*", "image/tiff"), START("II+\x00", "image/tiff"),
    START("MM\x00+", "image/tiff"),
    START("8BPS\x00\x01", "image/vnd.adobe.photoshop"),
    START("\x00\x00\x00\x0CJXL \r\n\x87\n", "image/jxl"),
    START("\x00\x00\x00\x0CjP  \r\n\x87\n", "image/jp2"),
    START("%PDF-", "application/pdf"),
    START("\x7F" "ELF", "application/x-elf"),
    START("\xFE\xED\xFA\xCE", "application/x-mach-binary"),
    START("\xFE\xED\xFA\xCF", "application/x-mach-binary"),
    START("\xCE\xFA\xED\xFE", "application/x-mach-binary"),
    START("\xCF\xFA\xED\xFE", "application/x-mach-binary"),
    START("\x00" "asm", "application/wasm"),
    START("\x1BLua", "application/x-lua-bytecode"), START("\x1BLJ", "application/x-lua-bytecode"),
    START("\xDE\x12\x04\x95", "application/x-gettext-translation"),
    START("BC\xC0\xDE", "application/x-llvm-bitcode"),
    START("!<arch>\n", "application/x-archive"),
    START("PK\x03\x04", "application/zip"), START("PK\x05\x06", "application/zip"),
    START("PK\x07\x08", "application/zip"),
    START("\x1F\x8B", "application/gzip"),
    START("\xFD" "7zXZ\x00", "application/x-xz"),
    START("(\xB5/\xFD", "application/zstd"),
    START("\x04\x22M\x18", "application/x-lz4"),
    START("7z\xBC\xAF'\x1C", "application/x-7z-compressed"),
    START("Rar!\x1A\x07", "application/vnd.rar"),
    START("MSCF\x00\x00\x00\x00", "application/vnd.ms-cab-compressed"),
    START("\xED\xAB\xEE\xDB", "application/x-rpm"),
    START("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/x-ole-storage"),
    START("SQLite format 3\x00", "application/vnd.sqlite3"),
    START("\x89HDF\r\n\x1A\n", "application/x-hdf5"),
    START("\x93NUMPY", "application/x-numpy"),
    START("PAR1\x15", "application/vnd.apache.parquet"),
    START("PACK\x00\x00\x00", "application/x-git-pack"),
    START("DIRC\x00\x00\x00", "application/x-git-index"),
    START("OggS\x00", "audio/ogg"),
    START("fLaC\x00", "audio/flac"), START("fLaC\x80", "audio/flac"),
    START("MThd\x00\x00\x00\x06", "audio/midi"),
    START("FLV\x01", "video/x-flv"),
    START("\x00\x00\x01\xBA", "video/mpeg"), START("\x00\x00\x01\xB3", "video/mpeg"),
    START("OTTO\x00", "font/otf"),
    START("true\x00", "font/ttf"),
    START("ttcf\x00", "font/collection"),
    START("wOFF\x00\x01\x00\x00", "font/woff"), START("wOFFOTTO", "font/woff"),
    START("wOFFtrue", "font/woff"),
    START("wOF2\x00\x01\x00\x00", "font/woff2"), START("wOF2OTTO", "font/woff2"),
    START("wOF2true", "font/woff2"), START("wOF2ttcf", "font/woff2"),
};

/* The bytes at offset 8 of a container. */
static const signature riffs[] = {
    START("WEBP", "image/webp"),
    START("WAVE", "audio/wav"),
    START("AVI ", "video/x-msvideo"),
};
static const signature iffs[] = {
    START("AIFF", "audio/aiff"), START("AIFC", "audio/aiff"),
};
static const signature brands[] = { /* of ISO media; others are taken for MP4 */
    START("avif", "image/avif"), START("avis", "image/avif"),
    START("heic", "image/heic"), START("heix", "image/heic"), START("heim", "image/heic"),
    START("heis", "image/heic"), START("hevc", "image/heic"), START("hevx", "image/heic"),
    START("mif1", "image/heif"), START("msf1", "image/heif"),
    START("qt  ", "video/quicktime"),
    START("M4A ", "audio/mp4"), START("M4B ", "audio/mp4"),
    START("3gp4", "video/3gpp"), START("3gp5", "video/3gpp"), START("3gp6", "video/3gpp"),
};
/* clang-format on */

#define FIND(table, p, n) find((table), sizeof(table) / sizeof *(table), (p), (n))

static const char *find(const signature *table, size_t count, const char *p, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (n >= table[i].n && memcmp(p, table[i].bytes, table[i].n) == 0)
            return table[i].type;
    return NULL;
}

static bool has_bytes(const char *p, size_t n, size_t at, const char *bytes, size_t size)
{
    return n >= size && at <= n - size && memcmp(p + at, bytes, size) == 0;
}

#define HAS(p, n, at, bytes) has_bytes((p), (n), (at), (bytes), sizeof(bytes) - 1)

typedef enum { HIGH_FIRST, LOW_FIRST } byte_order;

/* The number of `size` bytes at `at`; UINT64_MAX if bytes are missing. */
static uint64_t number_at(const char *p, size_t n, size_t at, size_t size, byte_order order)
{
    if (n < size || at > n - size)
        return UINT64_MAX;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)p[at + (order == HIGH_FIRST ? i : size - 1 - i)];
    return value;
}

static const char *container(const char *p, size_t n)
{
    if (n < 12)
        return NULL;
    if (HAS(p, n, 0, "RIFF"))
        return FIND(riffs, p + 8, 4);
    if (HAS(p, n, 0, "FORM"))
        return FIND(iffs, p + 8, 4);
    if (!HAS(p, n, 4, "ftyp") || p[0] != 0) /* the size of a first box is small */
        return NULL;
    const char *type = FIND(brands, p + 8, 4);
    return type ? type : "video/mp4";
}

static const char *bitmap(const char *p, size_t n)
{
    static const uint64_t headers[] = {12, 40, 52, 56, 64, 108, 124};
    if (!HAS(p, n, 0, "BM") || number_at(p, n, 6, 4, HIGH_FIRST) != 0)
        return NULL;
    uint64_t header = number_at(p, n, 14, 4, LOW_FIRST);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (header == headers[i])
            return "image/bmp";
    return NULL;
}

static const char *icon_or_font(const char *p, size_t n)
{
    if (HAS(p, n, 0, "\0\0\1\0")) {
        uint64_t count = number_at(p, n, 4, 2, LOW_FIRST);
        return count > 0 && count <= MOST_ICONS && n > 9 && p[9] == 0 ? "image/vnd.microsoft.icon" : NULL;
    }
    if (!HAS(p, n, 0, "\0\1\0\0"))
        return NULL;
    uint64_t tables = number_at(p, n, 4, 2, HIGH_FIRST);
    return tables > 0 && tables <= MOST_TABLES ? "font/ttf" : NULL;
}

static const char *program(const char *p, size_t n)
{
    if (HAS(p, n, 0, "\xCA\xFE\xBA\xBE")) {
        uint64_t count = number_at(p, n, 4, 4, HIGH_FIRST);
        if (count == UINT64_MAX)
            return NULL;
        return count % 65536 < OLDEST_CLASS ? "application/x-mach-binary" : "application/java-vm";
    }
    if (HAS(p, n, 0, "MZ")) {
        uint64_t at = number_at(p, n, 60, 4, LOW_FIRST);
        if (at < n && HAS(p, n, (size_t)at, "PE\0\0"))
            return "application/vnd.microsoft.portable-executable";
        return memchr(p, 0, n < 64 ? n : 64) ? "application/x-dosexec" : NULL;
    }
    /* Python 3.7 and later: two bytes of version, flags */
    if (n >= 8 && HAS(p, n, 2, "\r\n") && (unsigned char)p[4] <= 3 && HAS(p, n, 5, "\0\0\0"))
        return "application/x-python-bytecode";
    if (n >= 8 && HAS(p, n, 0, "dex\n0") && abr_is_digit(p[5]) && abr_is_digit(p[6]) && !p[7])
        return "application/vnd.android.dex";
    return NULL;
}

/* The mark of a first block, or of the end of an empty file; a tape archive. */
static const char *archive(const char *p, size_t n)
{
    if (HAS(p, n, 0, "BZh") && n > 3 && p[3] >= '1' && p[3] <= '9' &&
        (HAS(p, n, 4, "1AY&SY") || HAS(p, n, 4, "\x17rE8P\x90")))
        return "application/x-bzip2";
    bool tar = n > 262 && HAS(p, n, 257, "ustar") && (p[262] == 0 || p[262] == ' ');
    return tar ? "application/x-tar" : NULL;
}

/* An ID3 tag, or a frame of layer III with a rate that exists. */
static const char *mpeg_audio(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (HAS(p, n, 0, "ID3"))
        return n > 4 && u[3] >= 2 && u[3] <= 4 && u[4] != 255 ? "audio/mpeg" : NULL;
    if (n < 3 || u[0] != 255 || u[1] < 224 || u[1] / 2 % 4 != 1 || u[1] / 8 % 4 == 1)
        return NULL;
    unsigned bitrate = u[2] / 16;
    return bitrate > 0 && bitrate < 15 && u[2] / 4 % 4 < 3 ? "audio/mpeg" : NULL;
}

static const char *matroska(const char *p, size_t n)
{
    if (!HAS(p, n, 0, "\x1A\x45\xDF\xA3"))
        return NULL;
    for (size_t i = 4; i < n && i < PROBE; i++)
        if (HAS(p, n < PROBE ? n : PROBE, i, "webm"))
            return "video/webm";
    return "video/x-matroska";
}

const char *abr_magic(const char *p, size_t n)
{
    static const char *(*const probes[])(const char *, size_t) = {
        container, bitmap, icon_or_font, program, archive, mpeg_audio, matroska,
    };
    const char *type = FIND(signatures, p, n);
    for (size_t i = 0; !type && i < sizeof probes / sizeof *probes; i++)
        type = probes[i](p, n);
    return type;
}

/* ---- odd bytes ---- */

enum {
    MOST_ODD = 10, /* one byte in so many */
    LEAST_ODD = 32 /* bytes: fewer may be a damaged text, and a reader loses little by them */
};

/* Is the byte at i an ISO 8859-1 letter next to an ASCII letter? */
static bool is_latin_letter(const char *p, size_t n, size_t i)
{
    enum { FIRST_CAPITAL = 0xC0, TIMES = 0xD7, DIVIDED_BY = 0xF7 };
    const unsigned char c = (unsigned char)p[i];
    return c >= FIRST_CAPITAL && c != TIMES && c != DIVIDED_BY &&
           ((i > 0 && abr_is_letter(p[i - 1])) || (i + 1 < n && abr_is_letter(p[i + 1])));
}

static bool is_odd(const char *p, size_t n)
{
    const size_t most = n / MOST_ODD >= LEAST_ODD ? n / MOST_ODD : LEAST_ODD - 1;
    size_t odd = 0;
    for (size_t i = abr_plain_run(p, n); i < n && odd <= most; i += abr_plain_run(p + i, n - i)) {
        unsigned char c = (unsigned char)p[i];
        size_t size = c < 0x80 ? 1 : abr_char_size(p + i, n - i);
        odd += c < 0x80 ? abr_is_odd_control(p[i]) : size == 1 && !is_latin_letter(p, n, i);
        i += size;
    }
    return odd > most;
}

bool abr_is_binary(const char *p, size_t n, bool whole, const char **type)
{
    *type = n > 0 ? abr_magic(p, n) : NULL;
    if (*type)
        return true;
    size_t judged = n < ABR_BINARY_JUDGED ? n : ABR_BINARY_JUDGED;
    if (judged < n || !whole)
        judged -= abr_open_sequence(p, judged); /* it continues past `judged` */
    return is_odd(p, judged);
}

bool abr_is_binary_to_clean(const char *p, size_t n, bool whole)
{
    const char *type;
    return !abr_is_utf16(p, n) && abr_is_binary(p, n, whole, &type);
}

/* Print the common name of a media type: its last word, in capitals if short. Returns its bytes. */
static size_t print_name(const char *type, char *dst)
{
    enum { MOST = 96, CAPITALS = 4 };
    size_t n = 0;
    const char *name = strchr(type, '/');
    name = name ? name + 1 : type;
    if (strncmp(name, "x-", 2) == 0)
        name += 2;
    if (strncmp(name, "vnd.", 4) == 0)
        name += 4;
    for (; n < MOST && name[n] != '\0'; n++)
        dst[n] = name[n];
    for (size_t i = 0; i < n && n <= CAPITALS; i++)
        dst[i] = (char)(abr_is_lower(dst[i]) ? dst[i] - 'a' + 'A' : dst[i]);
    return n;
}

size_t abr_print_binary(const char *type, uint64_t size, char dst[ABR_BINARY_LINE_MOST])
{
    static const char before[] = "Binary output (";
    static const char unknown[] = "data";
    size_t n = sizeof before - 1;
    char printed[ABR_SIZE_MAX];
    memcpy(dst, before, n);
    if (type) {
        n += print_name(type, dst + n);
    } else {
        memcpy(dst + n, unknown, sizeof unknown - 1);
        n += sizeof unknown - 1;
    }
    dst[n++] = ',';
    dst[n++] = ' ';
    const size_t digits = abr_format_size(size, printed);
    memcpy(dst + n, printed, digits);
    n += digits;
    dst[n++] = ')';
    return n;
}
