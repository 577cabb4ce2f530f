/*
 * Words that tell of trouble in one phrase alone, and words beyond ASCII.
 *
 * Messages of runtimes often have no word for trouble: "attempt to index a nil value", "index out of range".
 * Each is known by one of its words, which is in the lexicon, and by its neighbours.
 */
#include "priority/phrases.h"
#include "abridge.h"
#include "base/ascii.h"
#include "priority/evidence.h"
#include "priority/words.h"

/* ---- ASCII ---- */

/* Is (text, n) at i in either case? */
static bool same_at(const abr_evidence *l, size_t i, const char *text, size_t n)
{
    if (i + n > l->n)
        return false;
    for (size_t k = 0; k < n; k++) {
        if (abr_is_digit(text[k]))
            tell_digits(l);
        if (abr_to_lower(l->p[i + k]) != text[k])
            return false;
    }
    return true;
}

typedef struct {
    const char *before;
    const char *word;
    const char *after;
} phrase;

/* In order of the words. */
static const phrase phrases[] = {
    {"bad ", "address", ""},
    {"", "attempt", " to "},
    {"", "bail", " out!"},
    {"", "below", " threshold"},
    {"out of ", "bounds", ""},
    {"resource ", "busy", ""},
    {"", "call", " trace:"},
    {"no package ", "called", ""},
    {".ps1:", "char", ":"},
    {" ", "char", ":"},
    {"", "connection", " closed by"},
    {"", "connection", " reset"},
    {"", "connection", " lost"},
    {"does not ", "contain", " "},
    {"bad ", "cpu", ""},
    {"bad ", "credentials", ""},
    {"too ", "deep", ""},
    {"multiple ", "definition", " of "},
    {"bad ", "descriptor", ""},
    {"bad file ", "descriptor", ""},
    {"loop ", "detected", ""},
    {": is a ", "directory", ""},
    {"not a ", "directory", ""},
    {"", "diverged", " from"},
    {"", "divide", " by zero"},
    {"", "division", " by zero"},
    {"", "exhausted", " "},
    {"non-", "exhaustive", ""},
    {"requires ", "explicit", " "},
    {"", "fall", "\xC3\xB3"}, /* falló */
    {"too ", "few", " "},
    {"bad ", "gateway", ""},
    {"", "gateway", " time"},
    {"", "gave", " up"},
    {"", "giving", " up"},
    {"socket ", "hang", ""},
    {"", "imported", " and not used"},
    {"bad ", "interpreter", ""},
    {"name or service not ", "known", ""},
    {"too ", "large", ""},
    {" is ", "locked", ""},
    {"too ", "long", ""},
    {"data ", "loss", ""},
    {"100% packet ", "loss", ""},
    {"bad ", "magic", ""},
    {"too ", "many", ""},
    {"not ", "meet", " "},
    {"out of ", "memory", ""},
    {"", "memory", " exhausted"},
    {"", "msg", " "},
    {"non-", "numeric", " argument"},
    {"error ", "occurred", ""},
    {"errors ", "occurred", ""},
    {"", "offenses", " detected"},
    {"bad ", "option", ""},
    {"general ", "protection", " fault"},
    {"too ", "quickly", ""},
    {"out of ", "range", ""},
    {"", "refus", "\xC3\xA9"}, /* refusé */
    {"would ", "reformat", " "},
    {"", "remounting", " filesystem read-only"},
    {"bad ", "request", ""},
    {"", "rip", ": 0"},
    {"", "rspec", " ./"},
    {"not in ", "scope", ""},
    {"reference not ", "set", " to"},
    {"variable not ", "set", ""},
    {"parameter not ", "set", ""},
    {"environment variable is not ", "set", ""},
    {"bad ", "signature", ""},
    {"stack ", "smashing", " detected"},
    {"detected ", "stall", ""},
    {"bad ", "substitution", ""},
    {"read-only file ", "system", ""},
    {"", "takiego", " pliku"},
    {"", "terminate", " called"},
    {"breakpoint ", "trap", ""},
    {"not ", "trusted", ""},
    {"service ", "unavailable", ""},
    {"temporarily ", "unavailable", ""},
    {"is ", "unavailable", ""},
    {"", "unwrap", "()` on "},
    {"already in ", "use", ""},
    {"pure ", "virtual", " method called"},
    {"", "what", "():  "},
};

/* The first phrase whose word starts with the letter, or a later one. */
static size_t first_with(char letter)
{
    size_t low = 0;
    size_t high = sizeof phrases / sizeof *phrases;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (phrases[middle].word[0] < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool abr_is_phrase(const abr_evidence *l, const abr_sign *s)
{
    const char letter = abr_to_lower(l->p[s->at]);
    for (size_t i = first_with(letter); i < sizeof phrases / sizeof *phrases; i++) {
        const phrase *x = &phrases[i];
        if (x->word[0] != letter)
            break;
        if (x->word[1] != abr_to_lower(l->p[s->at + 1]))
            continue;
        size_t before = strlen(x->before);
        if (is_word(l, s, x->word) && s->at >= before && same_at(l, s->at - before, x->before, before) &&
            same_at(l, end_of(s), x->after, strlen(x->after)))
            return true;
    }
    return false;
}

/* ---- beyond ASCII ---- */

/* Stems, so that cases and plurals are found; `before` is what an ASCII start of the word is. */
typedef struct {
    const char *text;
    const char *before;
} stem;

/* By their first byte, in order. */
static const stem stems[] = {
    {"échec", ""},      {"échou", ""},          {"Échec", ""},      {"ültig", "ung"},
    {"łąd", "b"},       {"şarısız", "ba"},      {"σφάλμα", ""},     {"Σφάλμα", ""},
    {"ошибк", ""},      {"не найден", ""},      {"не удалось", ""}, {"невозможно", ""},
    {"недопустим", ""}, {"неверн", ""},         {"не описан", ""},  {"не знайдено", ""},
    {"Ошибк", ""},      {"Не удалось", ""},     {"Невозможно", ""}, {"Недопустим", ""},
    {"Неверн", ""},     {"Отказано", ""},       {"отказано", ""},   {"помилк", ""},
    {"Помилк", ""},     {"Нет такого", ""},     {"нет такого", ""}, {"сбой", ""},
    {"Сбой", ""},       {"Прервано", ""},       {"прервано", ""},   {"שגיאה", ""},
    {"خطأ", ""},        {"त्रुटि", ""},           {"ผิดพลาด", ""},     {"ỗi", "l"},
    {"エラー", ""},     {"見つかりません", ""}, {"できません", ""}, {"ありません", ""},
    {"失敗", ""},       {"失败", ""},           {"错误", ""},       {"錯誤", ""},
    {"異常", ""},       {"异常", ""},           {"例外", ""},       {"拒绝", ""},
    {"拒絕", ""},       {"拒否", ""},           {"不存在", ""},     {"不够", ""},
    {"找不到", ""},     {"无法", ""},           {"無法", ""},       {"没有那个", ""},
    {"没有权限", ""},   {"沒有", ""},           {"致命", ""},       {"未找到", ""},
    {"오류", ""},       {"에러", ""},           {"실패", ""},       {"거부", ""},
    {"수 없", ""},
};

/* Nothing of it: "没有错误", "エラー: 0", "오류 없음", "без ошибки". */
static bool is_denied(const abr_evidence *l, size_t at, size_t end)
{
    static const char *const before[] = {"没有", "無", "无",    "0 个",  "0 個",
                                         "без ", "0 ", "sans ", "ohne ", "bez "};
    static const char *const after[] = {"なし", "はありません", "はなし",     "がありません",
                                        " 없",  "가 없",        "는 없",      "率",
                                        "处理", "処理",         "メッセージ", "コード"};
    tell_digits(l);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (at >= strlen(before[i]) && starts_with(l, at - strlen(before[i]), before[i]))
            return true;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (starts_with(l, end, after[i]))
            return true;
    if (starts_with(l, end, "："))
        end += strlen("：");
    end = skip(l, end, ": =");
    return byte_at(l, end) == '0' && !is_alnum(byte_at(l, end + 1)) && byte_at(l, end + 1) != '.';
}

/* May a stem start with the byte? Signs and box drawings do not. */
static inline bool starts_stem(unsigned char c)
{
    return c >= 0xC3 && c != 0xE2 && c < 0xEE;
}

size_t abr_find_foreign(const abr_evidence *l)
{
    enum { MOST = 256 }; /* bytes that are looked at: a message says it early */
    size_t until = l->n - l->words->mark < MOST ? l->n : l->words->mark + MOST;
    for (size_t i = l->words->mark; i < until; i++) {
        if (!starts_stem((unsigned char)l->p[i]))
            continue;
        for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
            if (stems[k].text[0] != l->p[i] || !starts_with(l, i, stems[k].text))
                continue;
            size_t before = strlen(stems[k].before);
            bool joined = i >= before && same_at(l, i - before, stems[k].before, before);
            if (joined && !is_denied(l, i - before, i + strlen(stems[k].text)))
                return i - before;
        }
    }
    return l->n;
}
