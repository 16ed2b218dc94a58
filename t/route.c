/* SPDX-License-Identifier: MIT */
/* What the user says of the way to the server. */
#include "config.h"

#include "route.h"

#include "tap.h"

static void
check_entry(const char *text, const char *want)
{
    struct route_entry e;
    char got[256] = "-";

    if (route_parse(&e, text))
        snprintf(got, sizeof got, "%.*s %u %.*s", (int) e.host_len, e.host,
                 e.port, (int) e.address_len, e.address);
    is_str(got, want, "'%s'", text);
}

int
main(void)
{
    const char *culprit = NULL, *why;

    check_entry("store:9000:127.0.0.1", "store 9000 127.0.0.1");
    check_entry("a.b.example:443:::1", "a.b.example 443 ::1");
    check_entry("h:65535:[2001:db8::7]", "h 65535 [2001:db8::7]");
    check_entry("", "-");
    check_entry("h", "-");
    check_entry("h:80", "-");
    check_entry(":80:127.0.0.1", "-");
    check_entry("h:0:127.0.0.1", "-");
    check_entry("h:65536:127.0.0.1", "-");
    check_entry("h:80x:127.0.0.1", "-");
    check_entry("h:-80:127.0.0.1", "-");
    check_entry("h:80:", "-");
    check_entry("h:80:name", "-");
    check_entry("h:80:127.0.0.1 ", "-");
    check_entry("h:80:[::1", "-");
    check_entry("h:80:[]", "-");
    check_entry("+h:80:127.0.0.1", "-");
    check_entry("*:80:127.0.0.1", "-");
    check_entry("a b:80:127.0.0.1", "-");
    check_entry("-h:80", "-");
    ok(route_is_address("127.0.0.2") && route_is_address("::1"), "addresses");
    ok(!route_is_address("lo") && !route_is_address("[::1]") &&
           !route_is_address(""),
       "no addresses");
    why = route_check_certificate("/nonexistent", NULL, &culprit);
    ok(why != NULL, "a file that is not there: %s", why);
    is_str(culprit, "/nonexistent", "is named");
    return done_testing();
}
