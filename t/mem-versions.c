/* SPDX-License-Identifier: MIT */
/* Versions of s3mem's objects: requests in, answers out. */
#include "config.h"

#include <inttypes.h>

#include "mem-act.h"

#define VERSIONING(status)                                                     \
    "<VersioningConfiguration><Status>" status                                 \
    "</Status></VersioningConfiguration>"

static char version[80]; /* of the last answer that had one */

/* Put BODY, and keep the version that it gets. */
static void
put(const char *target, const char *body)
{
    act_is(target, "PUT", target, "", body, "");
    snprintf(version, sizeof(version), "%s", header("x-amz-version-id"));
}

/* METHOD on a version of an object. */
static const char *
on_version(const char *method, const char *object, const char *id)
{
    static char target[300];

    snprintf(target, sizeof(target), "/ver/%s?versionId=%s", object, id);
    return act(method, target, "", NULL);
}

static void
version_is(const char *object, const char *id, const char *text)
{
    is_str(on_version("GET", object, id), "", "version %s of %s", id, object);
    ok(op.answer.object != NULL && op.answer.length == strlen(text) &&
           memcmp(op.answer.object->bytes, text, strlen(text)) == 0,
       "holds '%s'", text);
    is_str(header("x-amz-version-id"), id, "and says which one it is");
}

/* Keys of the listing: "k" a version, "k-" a marker, "k*" the newest. */
static void
listed_is(const char *query, const char *want)
{
    char got[300] = "", target[200];
    const char *at;

    snprintf(target, sizeof(target), "/ver?versions&%s", query);
    act("GET", target, "", NULL);
    at = op.answer.xml.out.data;
    while ((at = strstr(at, "<Key>")) != NULL) {
        bool marker = at - 14 >= op.answer.xml.out.data &&
                      strncmp(at - 14, "<DeleteMarker>", 14) == 0;
        bool newest;

        at += 5;
        newest = strstr(at, "<IsLatest>true") != NULL &&
                 strstr(at, "<IsLatest>true") < strstr(at, "<LastModified>");
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%.*s%s%s",
                 got[0] != '\0' ? " " : "", (int) strcspn(at, "<"), at,
                 marker ? "-" : "", newest ? "*" : "");
    }
    is_str(got, want, "listed with %s", query);
}

static void
test_states(void)
{
    act("PUT", "/ver", "", NULL);
    act_is("never switched on", "GET", "/ver?versioning", "", NULL, "");
    ok(!answer_has("<Status>"), "has no status");
    put("/ver/k", "before");
    is_str(version, "", "no version is told");
    act_is("no digest", "PUT", "/ver?versioning", "", VERSIONING("Enabled"),
           "InvalidRequest");
    act_is("no status", "PUT", "/ver?versioning", MD5,
           "<VersioningConfiguration/>",
           "IllegalVersioningConfigurationException");
    act_is("another status", "PUT", "/ver?versioning", MD5,
           VERSIONING("enabled"), "MalformedXML");
    act_is("no XML", "PUT", "/ver?versioning", MD5, "Enabled", "MalformedXML");
    act_is("no bucket", "PUT", "/none?versioning", MD5, VERSIONING("Enabled"),
           "NoSuchBucket");
    act_is("on", "PUT", "/ver?versioning", MD5, VERSIONING("Enabled"), "");
    act("GET", "/ver?versioning", "", NULL);
    ok(answer_has("<Status>Enabled</Status>"), "is on");
    version_is("k", "null", "before");
}

static void
test_versions(void)
{
    char first[80], second[80], other[80];

    put("/ver/k", "one");
    snprintf(first, sizeof(first), "%s", version);
    put("/ver/k", "two");
    snprintf(second, sizeof(second), "%s", version);
    ok(strcmp(first, second) != 0, "each put is another version");
    object_is("/ver/k", "two");
    is_str(header("x-amz-version-id"), second, "the newest, which is told");
    version_is("k", first, "one");
    version_is("k", second, "two");
    version_is("k", "null", "before");
    is_str(on_version("HEAD", "k", first), "", "HEAD of a version");
    is_int((int64_t) op.answer.length, 3, "its length");
    is_str(on_version("GET", "none", first), "NoSuchVersion", "of no key");
    snprintf(other, sizeof(other), "%s", first);
    other[3] = other[3] == 'A' ? 'B' : 'A';
    is_str(on_version("GET", "k", other), "InvalidArgument",
           "what is no version's name");
    listed_is("prefix=k", "k* k k");
    act_is("tags of a version", "PUT", "/ver/k?tagging&versionId=null", MD5,
           "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet>"
           "</Tagging>",
           "");
    act("GET", "/ver/k?tagging", "", NULL);
    ok(!answer_has("<Key>"), "are not those of another");
    act("GET", "/ver/k?tagging&versionId=null", "", NULL);
    ok(answer_has("<Key>a</Key>"), "but its own");
    is_str(on_version("DELETE", "k", first), "", "delete a version");
    is_str(header("x-amz-version-id"), first, "which is told");
    is_str(header("x-amz-delete-marker"), "", "and was no marker");
    is_str(on_version("GET", "k", first), "NoSuchVersion", "it is gone");
    is_str(on_version("DELETE", "k", first), "", "deleted again");
    is_int(op.answer.status, 204, "as if it had been there");
    listed_is("prefix=k", "k* k");
    is_str(on_version("DELETE", "k", second), "", "delete the newest");
    object_is("/ver/k", "before");
}

static void
test_markers(void)
{
    char marker[80];

    act_is("delete", "DELETE", "/ver/k", "", NULL, "");
    is_str(header("x-amz-delete-marker"), "true", "puts a marker");
    snprintf(marker, sizeof(marker), "%s", header("x-amz-version-id"));
    ok(marker[0] != '\0', "with a version of its own");
    act_is("get", "GET", "/ver/k", "", NULL, "NoSuchKey");
    is_str(header("x-amz-delete-marker"), "true", "it says why");
    is_str(header("x-amz-version-id"), marker, "and by which version");
    is_str(on_version("GET", "k", marker), "MethodNotAllowed", "get it");
    is_str(header("Allow"), "DELETE", "it can only be deleted");
    is_str(on_version("HEAD", "k", marker), "MethodNotAllowed", "head it");
    act_is("tags", "GET", "/ver/k?tagging", "", NULL, "NoSuchKey");
    act_is("put tags", "PUT", "/ver/k?tagging", MD5,
           "<Tagging><TagSet/></Tagging>", "NoSuchKey");
    version_is("k", "null", "before");
    act("GET", "/ver?list-type=2", "", NULL);
    ok(answer_has("<KeyCount>0</KeyCount>"), "the key is not listed");
    act("GET", "/ver?delimiter=k", "", NULL);
    ok(!answer_has("<CommonPrefixes>"), "nor is what begins like it");
    listed_is("", "k-* k");
    act_is("if there is none", "PUT", "/ver/k", "If-None-Match: *", "new", "");
    listed_is("", "k* k- k");
    act_is("if there is one", "PUT", "/ver/k", "If-None-Match: *", "new",
           "PreconditionFailed");
    act_is("delete what never was", "DELETE", "/ver/never", "", NULL, "");
    listed_is("", "k* k- k never-*");
    is_str(on_version("DELETE", "k", marker), "", "delete the marker");
    is_str(header("x-amz-delete-marker"), "true", "it was one");
    act_is("a bucket of markers", "DELETE", "/ver", "", NULL, "BucketNotEmpty");
    listed_is("", "k* k never-*");
    act("GET", "/ver/never", "", NULL);
    snprintf(marker, sizeof(marker), "%s", header("x-amz-version-id"));
    on_version("DELETE", "never", marker);
    listed_is("", "k* k");
}

static void
test_suspended(void)
{
    act_is("off", "PUT", "/ver?versioning", MD5, VERSIONING("Suspended"), "");
    act("GET", "/ver?versioning", "", NULL);
    ok(answer_has("<Status>Suspended</Status>"), "is suspended");
    put("/ver/k", "null one");
    is_str(version, "null", "its version is told");
    listed_is("", "k* k");
    put("/ver/k", "null two");
    listed_is("", "k* k");
    version_is("k", "null", "null two");
    act_is("delete", "DELETE", "/ver/k", "", NULL, "");
    is_str(header("x-amz-version-id"), "null", "the marker is that version");
    is_str(header("x-amz-delete-marker"), "true", "now");
    listed_is("", "k-* k");
    act_is("on", "PUT", "/ver?versioning", MD5, VERSIONING("Enabled"), "");
    put("/ver/k", "three");
    listed_is("", "k* k- k");
    is_str(on_version("DELETE", "k", "null"), "", "delete the null version");
    listed_is("", "k* k");
}

static void
test_copies(void)
{
    char old[80], lines[200], target[200];

    put("/ver/src", "old");
    snprintf(old, sizeof(old), "%s", version);
    put("/ver/src", "new");
    snprintf(lines, sizeof(lines), "x-amz-copy-source: /ver/src?versionId=%s",
             old);
    act_is("copy a version", "PUT", "/ver/dst", lines, NULL, "");
    is_str(header("x-amz-copy-source-version-id"), old, "which one");
    ok(header("x-amz-version-id")[0] != '\0', "and what it has become");
    object_is("/ver/dst", "old");
    act_is("back to an old one", "PUT", "/ver/src", lines, NULL, "");
    object_is("/ver/src", "old");
    act("DELETE", "/ver/src", "", NULL);
    act_is("copy what is deleted", "PUT", "/ver/dst",
           "x-amz-copy-source: /ver/src", NULL, "NoSuchKey");
    snprintf(lines, sizeof(lines), "x-amz-copy-source: /ver/src?versionId=%s",
             header("x-amz-version-id"));
    act("DELETE", "/ver/src", "", NULL);
    snprintf(lines, sizeof(lines), "x-amz-copy-source: /ver/src?versionId=%s",
             header("x-amz-version-id"));
    act_is("copy a marker", "PUT", "/ver/dst", lines, NULL, "InvalidRequest");
    act("POST", "/ver/multi?uploads", "", NULL);
    snprintf(target, sizeof(target), "/ver/multi?partNumber=1&uploadId=%s",
             upload_id);
    act("PUT", target, "", "part");
    snprintf(lines, sizeof(lines),
             "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
             "<ETag>%s</ETag></Part></CompleteMultipartUpload>",
             etag);
    snprintf(target, sizeof(target), "/ver/multi?uploadId=%s", upload_id);
    act_is("complete an upload", "POST", target, "", lines, "");
    ok(header("x-amz-version-id")[0] != '\0', "is a version, too");
}

static void
test_batch(void)
{
    char body[600], one[80];

    put("/ver/b1", "one");
    snprintf(one, sizeof(one), "%s", version);
    put("/ver/b1", "two");
    put("/ver/b2", "one");
    snprintf(body, sizeof(body),
             "<Delete><Object><Key>b1</Key><VersionId>%s</VersionId></Object>"
             "<Object><Key>b2</Key></Object>"
             "<Object><Key>b1</Key><VersionId>odd</VersionId></Object>"
             "</Delete>",
             one);
    act_is("delete many", "POST", "/ver?delete", MD5, body, "");
    snprintf(body, sizeof(body),
             "<Deleted><Key>b1</Key><VersionId>%s</VersionId></Deleted>", one);
    ok(answer_has(body), "one of them by version");
    ok(answer_has("<Deleted><Key>b2</Key><DeleteMarker>true</DeleteMarker>"
                  "<DeleteMarkerVersionId>"),
       "one by a marker");
    ok(answer_has("<Error><Key>b1</Key><VersionId>odd</VersionId>"
                  "<Code>NoSuchVersion</Code>"),
       "one is no version");
    listed_is("prefix=b", "b1* b2-* b2");
}

/* Walk over all versions, MAX a page, and delete what a page has when
 * DELETING. Returns: how many there were. */
static int
walk(int max, bool deleting)
{
    char key[80] = "", id[80] = "", target[300], *copy, *at;
    int count = 0, pages = 0;
    bool more = true;

    while (more && pages++ < 1000) {
        snprintf(target, sizeof(target),
                 "/ver?versions&max-keys=%d&key-marker=%s%s%s", max, key,
                 id[0] != '\0' ? "&version-id-marker=" : "", id);
        if (act("GET", target, "", NULL)[0] != '\0')
            return -1;
        more = answer_has("<IsTruncated>true</IsTruncated>");
        if (more && (!cut(key, "<NextKeyMarker>", "<") ||
                     !cut(id, "<NextVersionIdMarker>", "<")))
            return -1;
        copy = strdup(op.answer.xml.out.data);
        for (at = copy; (at = strstr(at, "<Key>")) != NULL; count++) {
            char name[80], own[80];

            sscanf(at, "<Key>%79[^<]</Key><VersionId>%79[^<]", name, own);
            if (deleting)
                on_version("DELETE", name, own);
            at += 5;
        }
        free(copy);
    }
    return count;
}

static void
test_pages(void)
{
    uint64_t before;

    act("PUT", "/ver?versioning", MD5, VERSIONING("Suspended"));
    walk(1000, true);
    before = mem_store_used(service.store);
    put("/ver/k1", "null"); /* in the middle of the chain */
    act("PUT", "/ver?versioning", MD5, VERSIONING("Enabled"));
    for (int i = 0; i < 20; i++) {
        char target[30];

        snprintf(target, sizeof(target), "/ver/k%d", i % 4);
        if (i % 5 == 4)
            act("DELETE", target, "", NULL);
        else
            act("PUT", target, "", "content");
    }
    for (int max = 1; max <= 21; max++)
        is_int(walk(max, false), 21, "pages of %d: all are there once", max);
    act_is("a marker without a key", "GET", "/ver?versions&version-id-marker=a",
           "", NULL, "InvalidArgument");
    act_is("a marker that is none", "GET",
           "/ver?versions&key-marker=a&version-id-marker=a", "", NULL,
           "InvalidArgument");
    is_int(walk(3, true), 21, "they are deleted page by page");
    is_int((int64_t) mem_store_used(service.store), (int64_t) before,
           "nothing is counted any more");
    act_is("the empty bucket", "DELETE", "/ver", "", NULL, "");
}

/* The bound holds for versions and for delete markers. */
static void
test_bound(void)
{
    static char body[100001];
    uint64_t before = mem_store_used(service.store);
    int versions = 0, markers = 0;

    memset(body, 'x', sizeof(body) - 1);
    act("PUT", "/ver", "", NULL);
    act("PUT", "/ver?versioning", MD5, VERSIONING("Enabled"));
    while (versions < 100 && act("PUT", "/ver/k", "", body)[0] == '\0')
        versions++;
    is_int(versions, 10, "a store of 1 MiB has room for ten of 100 kB");
    is_int(op.answer.status, 507, "the next one is refused");
    while (markers < 10000 && act("DELETE", "/ver/k", "", NULL)[0] == '\0')
        markers++;
    ok(markers > 10 && markers < 500, "%d markers", markers);
    is_int(op.answer.status, 507, "the next one is refused, too");
    ok(mem_store_used(service.store) <= mem_store_bound(service.store),
       "the bound holds");
    is_int(walk(7, true), versions + markers, "all can be deleted");
    act("DELETE", "/ver", "", NULL);
    is_int((int64_t) mem_store_used(service.store), (int64_t) before,
           "nothing is counted any more");
}

int
main(void)
{
    if (!begin_acting())
        return EXIT_FAILURE;
    test_states();
    test_versions();
    test_markers();
    test_suspended();
    test_copies();
    test_batch();
    test_pages();
    test_bound();
    end_acting();
    return done_testing();
}
