/* SPDX-License-Identifier: MIT */
/* The XML that s3mem writes and reads. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mem_answer.h"
#include "mem_read.h"
#include "tap.h"

static void
test_escape(void)
{
    struct mem_xml x;

    mem_xml_init(&x);
    mem_xml_text(&x, "a<b>&\"c\"\n\0\x7f\xc3\xa4", 13);
    is_str(x.out.data, "a&lt;b&gt;&amp;&quot;c&quot;&#xA;&#x0;\x7f\xc3\xa4",
           "escaped");
    mem_xml_clear(&x);
    mem_xml_element(&x, "Key", "a&b");
    mem_xml_uint(&x, "Size", UINT64_MAX);
    is_str(x.out.data, "<Key>a&amp;b</Key><Size>18446744073709551615</Size>",
           "elements");
    mem_xml_clear(&x);
}

static void
test_error(void)
{
    struct mem_answer a;

    mem_answer_init(&a);
    mem_answer_header(&a, "gone", "later");
    mem_answer_fail(&a, MEM_NO_SUCH_KEY, NULL);
    mem_answer_extra(&a, "Key", "a&b");
    mem_answer_finish(&a, "/b/a&b", "0123");
    is_int(a.status, 404, "status");
    is_int((int64_t) a.headers.len, 0, "what was prepared is forgotten");
    is_str(a.xml.out.data,
           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<Error><Code>NoSuchKey</Code>"
           "<Message>The key does not exist</Message><Key>a&amp;b</Key>"
           "<Resource>/b/a&amp;b</Resource><RequestId>0123</RequestId>"
           "<HostId>s3mem</HostId></Error>",
           "document");
    mem_answer_fail(&a, MEM_INSUFFICIENT_STORAGE, "only %d bytes", 5);
    is_int(a.status, 507, "another error replaces it");
    is_str(a.message, "only 5 bytes", "with a message of its own");
    mem_answer_clear(&a);
    for (int code = MEM_OK + 1; code < MEM_CODE_COUNT; code++) {
        mem_answer_fail(&a, (enum mem_code) code, NULL);
        ok(a.status >= 400 && mem_code_name(a.code)[0] != '\0' &&
               a.message[0] != '\0',
           "code %s is complete", mem_code_name(a.code));
    }
    mem_answer_clear(&a);
    mem_answer_clear(&a);
}

static void
test_dates(void)
{
    static const char *const bad[] = {
        "",
        "Tue, ",
        "Tue, 27 Mar 2007 19:36:42",
        "Tue, 27 Mar 2007 19:36:42 CET",
        "Tue, 27 Mar 2007 19:36:42 GMT ",
        "Tue, 00 Mar 2007 19:36:42 GMT",
        "Tue, 27 Mer 2007 19:36:42 GMT",
        "Tue, 27 Mar 2007 24:36:42 GMT",
        "Tuesday, 27-Mar-07 19:36:42 GMT",
    };
    time_t at;
    char iso[MEM_ISO_SIZE], http[MEM_HTTP_DATE_SIZE];

    mem_format_iso(iso, 1369353600);
    is_str(iso, "2013-05-24T00:00:00.000Z", "date in XML");
    mem_format_http_date(http, 1369353600);
    is_str(http, "Fri, 24 May 2013 00:00:00 GMT", "date in a header");
    mem_format_http_date(http, 1709210096);
    is_str(http, "Thu, 29 Feb 2024 12:34:56 GMT", "a leap day");
    ok(mem_parse_http_date(&at, http) && at == 1709210096, "read back");
    ok(mem_parse_http_date(&at, "Tue, 27 Mar 2007 19:36:42 +0000") &&
           at == 1175024202,
       "with another name of the zone");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        ok(!mem_parse_http_date(&at, bad[i]), "not '%s'", bad[i]);
}

/* Read XML; is it what ERR says, with COUNT keys? */
static void
read_is(const char *what, const char *xml, int err, size_t count)
{
    struct mem_delete d;
    int got = mem_read_delete(&d, xml, strlen(xml));

    ok(got == err && (err != 0 || d.count == count), "delete: %s", what);
    mem_delete_clear(&d);
}

#define OBJECT(key) "<Object><Key>" key "</Key></Object>"

static void
test_read_delete(void)
{
    static const char full[] =
        "<?xml version=\"1.0\"?>\n<x:Delete xmlns:x=\"urn:any\">\n"
        "<x:Quiet>true</x:Quiet>\n<x:Object><x:Key>a&amp;&#228;/b</x:Key>"
        "<x:VersionId>null</x:VersionId><x:Other>z</x:Other></x:Object>"
        "<x:Object><x:VersionId>v</x:VersionId><x:Key><![CDATA[<2>]]></x:Key>"
        "</x:Object></x:Delete>";
    struct mem_delete d;

    is_int(mem_read_delete(&d, full, sizeof(full) - 1), 0, "delete: all of it");
    ok(d.quiet, "delete: quiet");
    is_int((int64_t) d.count, 2, "delete: two keys");
    ok(d.keys.len == 18 &&
           memcmp(d.keys.data, "a&\xc3\xa4/b\0null\0<2>\0v\0", 18) == 0,
       "delete: keys and versions");
    mem_delete_clear(&d);

    read_is("one", "<Delete>" OBJECT("k") "</Delete>", 0, 1);
    read_is("blanks in a key count", "<Delete>" OBJECT(" k ") "</Delete>", 0,
            1);
    read_is("nothing to delete", "<Delete></Delete>", EINVAL, 0);
    read_is("no document", "", EINVAL, 0);
    read_is("another document", "<Remove>" OBJECT("k") "</Remove>", EINVAL, 0);
    read_is("an empty key", "<Delete>" OBJECT("") "</Delete>", EINVAL, 0);
    read_is("no key", "<Delete><Object></Object></Delete>", EINVAL, 0);
    read_is("cut off", "<Delete>" OBJECT("k"), EINVAL, 0);
    read_is("something behind", "<Delete>" OBJECT("k") "</Delete><a/>", EINVAL,
            0);
    read_is("a DTD",
            "<!DOCTYPE Delete [<!ENTITY e \"k\">]><Delete>" OBJECT(
                "&e;") "</Delete>",
            EINVAL, 0);
    read_is("not text", "<Delete>" OBJECT("\xff\xfe") "</Delete>", EINVAL, 0);
}

static void
test_read_bounds(void)
{
    struct buf xml;
    size_t all;

    buf_init(&xml, 4 << 20);
    buf_adds(&xml, "<Delete>");
    for (int i = 0; i < MEM_DELETE_MAX; i++)
        buf_addf(&xml, OBJECT("%d"), i);
    all = xml.len;
    buf_adds(&xml, "</Delete>");
    read_is("1000 keys", xml.data, 0, MEM_DELETE_MAX);
    xml.len = all;
    buf_adds(&xml, OBJECT("one more") "</Delete>");
    read_is("1001 keys", xml.data, E2BIG, 0);

    buf_reset(&xml);
    buf_adds(&xml, "<Delete>");
    while (buf_adds(&xml, "<a>") == 0)
        ;
    read_is("endless depth", xml.data, EINVAL, 0);
    buf_reset(&xml);
    buf_adds(&xml, "<Delete><Object><Key>");
    while (buf_adds(&xml, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk") == 0)
        ;
    read_is("an endless key", xml.data, EINVAL, 0);
    buf_clear(&xml);
}

static void
test_read_fields(void)
{
#define LOCK(xml) "<ObjectLockConfiguration>" xml "</ObjectLockConfiguration>"
    static const struct {
        const char *xml, *mode, *days;
        int err;
    } cases[] = {
        {LOCK("<ObjectLockEnabled>Enabled</ObjectLockEnabled>"), "", "", 0},
        {LOCK("<Rule><DefaultRetention><Mode>GOVERNANCE</Mode>"
              "<Days>3</Days></DefaultRetention></Rule>"),
         "GOVERNANCE", "3", 0},
        {"<x:ObjectLockConfiguration xmlns:x=\"" MEM_XMLNS "\"><x:Mode> a"
         "</x:Mode></x:ObjectLockConfiguration>",
         " a", "", 0},
        {LOCK("<Mode/>"), "", "", 0},
        {LOCK("<Mode>a</Mode><Mode>b</Mode>"), "a", "", EINVAL},
        {"<Other><Mode>a</Mode></Other>", "", "", EINVAL},
        {"Mode", "", "", EINVAL},
        {"", "", "", EINVAL},
    };
    char long_text[300];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct mem_field fields[] = {{.name = "Mode"}, {.name = "Days"}};

        is_int(mem_read_fields(fields, 2, "ObjectLockConfiguration",
                               cases[i].xml, strlen(cases[i].xml)),
               cases[i].err, "fields %zu", i);
        is_str(fields[0].text, cases[i].mode, "fields %zu: the first", i);
        is_str(fields[1].text, cases[i].days, "fields %zu: the second", i);
    }
    for (size_t n = MEM_FIELD_MAX - 1; n <= MEM_FIELD_MAX; n++) {
        struct mem_field field = {.name = "Mode"};

        snprintf(long_text, sizeof(long_text), LOCK("<Mode>%0*d</Mode>"),
                 (int) n, 0);
        is_int(mem_read_fields(&field, 1, "ObjectLockConfiguration", long_text,
                               strlen(long_text)),
               n < MEM_FIELD_MAX ? 0 : EINVAL, "a field of %zu bytes", n);
    }
}

#define PART(number, etag)                                                     \
    "<Part><ETag>" etag "</ETag><PartNumber>" number "</PartNumber></Part>"
#define PARTS(xml) "<CompleteMultipartUpload>" xml "</CompleteMultipartUpload>"

static void
test_read_parts(void)
{
    static const char *const bad[] = {
        "",
        PARTS(""),
        PARTS("<Part></Part>"),
        PARTS("<Part><PartNumber>1</PartNumber></Part>"),
        PARTS(PART("0", "x")),
        PARTS(PART("10001", "x")),
        PARTS(PART("-1", "x")),
        PARTS(PART("1x", "x")),
        PARTS(PART("1", "")),
        PARTS(PART("1", "\"\"")),
        "<Complete>" PART("1", "x") "</Complete>",
        "<CompleteMultipartUpload>" PART("1", "x"),
    };
    static const char good[] =
        "<c:CompleteMultipartUpload xmlns:c=\"urn:any\"><c:Part>"
        "<c:ChecksumCRC32>AAAAAA==</c:ChecksumCRC32>"
        "<c:ETag>&quot;aa&quot;</c:ETag><c:PartNumber>10000</c:PartNumber>"
        "</c:Part><c:Part><c:PartNumber>2</c:PartNumber><c:ETag>bb</c:ETag>"
        "</c:Part></c:CompleteMultipartUpload>";
    const struct mem_wanted_part *parts;
    struct buf out;

    buf_init(&out, 1000);
    is_int(mem_read_parts(&out, good, strlen(good)), 0, "parts: two");
    is_int((int64_t) out.len, 2 * sizeof(*parts), "parts: their count");
    parts = (const struct mem_wanted_part *) (const void *) out.data;
    is_int(parts[0].number, 10000, "parts: a number");
    is_str(parts[0].etag, "aa", "parts: an ETag without its quotes");
    is_str(parts[1].etag, "bb", "parts: one that has none");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        buf_reset(&out);
        is_int(mem_read_parts(&out, bad[i], strlen(bad[i])), EINVAL,
               "parts: not '%s'", bad[i]);
    }
    buf_clear(&out);
}

#define TAG(k, v) "<Tag><Key>" k "</Key><Value>" v "</Value></Tag>"

static void
test_read_tags(void)
{
    static const char good[] = "<Tagging><TagSet>" TAG("a", "b") "<Other/>" TAG(
        "&lt;", "") "</TagSet></Tagging>";
    struct buf out;

    buf_init(&out, MEM_TAGS_MAX);
    is_int(mem_read_tags(&out, good, strlen(good)), 0, "tags: two");
    ok(out.len == 7 && memcmp(out.data, "a\0b\0<\0\0", 7) == 0,
       "tags: keys and values");
    buf_reset(&out);
    is_int(mem_read_tags(&out, "<Tagging/>", 10), 0, "tags: none");
    is_int((int64_t) out.len, 0, "tags: nothing");
    is_int(mem_read_tags(&out, "<TagSet/>", 9), EINVAL, "tags: another root");
    is_int(mem_read_tags(&out, "<Tagging>", 9), EINVAL, "tags: cut off");
    buf_clear(&out);
}

/* Elements that fit, in any order: nothing may be read beyond its end. */
static void
test_noise(void)
{
    static const char *const pieces[] = {
        "<Part>",        "</Part>",   "<ETag>",   "</ETag>",   "<PartNumber>",
        "</PartNumber>", "<Tag>",     "</Tag>",   "<Key>",     "</Key>",
        "<TagSet>",      "</TagSet>", "<Object>", "</Object>", "1",
        "&#34;",         "&amp;",     "<a/>"};
    static const char *const roots[] = {"CompleteMultipartUpload", "Tagging",
                                        "Delete"};
    struct mem_delete d;
    struct buf xml, out;

    buf_init(&xml, 10000);
    srand(1);
    for (int round = 0; round < 30000; round++) {
        buf_reset(&xml);
        buf_addf(&xml, "<%s>", roots[round % 3]);
        for (int i = rand() % 12; i >= 0; i--)
            buf_adds(
                &xml,
                pieces[(size_t) rand() % (sizeof(pieces) / sizeof(*pieces))]);
        buf_addf(&xml, "</%s>", roots[round % 3]);
        buf_init(&out, 1000);
        (void) mem_read_parts(&out, xml.data, xml.len);
        buf_reset(&out);
        (void) mem_read_tags(&out, xml.data, xml.len);
        buf_clear(&out);
        (void) mem_read_delete(&d, xml.data, xml.len);
        mem_delete_clear(&d);
    }
    buf_clear(&xml);
    ok(true, "noise does no harm");
}

int
main(void)
{
    test_read_parts();
    test_read_tags();
    test_noise();
    test_escape();
    test_error();
    test_dates();
    test_read_delete();
    test_read_bounds();
    test_read_fields();
    return done_testing();
}
