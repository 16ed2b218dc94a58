/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "prices.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

/* Where the price called NAME belongs; NULL when there is none. */
static double *
find_price(struct prices *p, const char *name)
{
    const struct {
        const char *name;
        double *price;
    } all[] = {{"put-1000", &p->put_1000}, {"list-1000", &p->list_1000},
               {"get-1000", &p->get_1000}, {"delete-1000", &p->delete_1000},
               {"upload-gib", &p->up_gib}, {"download-gib", &p->down_gib}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].price;
    return NULL;
}

static bool
read_price(double *price, const char *text)
{
    double value;
    char *end;

    if (*text < '0' || *text > '9') /* no sign, no "inf", no hexadecimal */
        return false;
    if (text[strspn(text, "0123456789.")] != '\0')
        return false;
    errno = 0;
    value = strtod(text, &end);
    if (*end != '\0' || errno != 0 || !isfinite(value))
        return false;
    *price = value;
    return true;
}

static const char *
read_line(struct prices *p, char *line)
{
    char *rest = line, *name, *value;
    double *price;

    line[strcspn(line, "#")] = '\0';
    line += strspn(line, BLANKS);
    if (*line == '\0')
        return NULL;
    name = strtok_r(line, BLANKS, &rest);
    value = strtok_r(NULL, BLANKS, &rest);
    if (value == NULL)
        return "it is a name and a number";
    if (strtok_r(NULL, BLANKS, &rest) != NULL)
        return "there is something behind the number";
    if (strcmp(name, "currency") == 0) {
        if (strlen(value) >= sizeof p->currency)
            return "the currency is too long";
        strcpy(p->currency, value);
        return NULL;
    }
    price = find_price(p, name);
    if (price == NULL)
        return "no such price";
    return read_price(price, value) ? NULL : "bad number";
}

const char *
prices_parse(struct prices *p, char *text, size_t len, unsigned *number)
{
    const char *wrong = NULL;

    *p = (struct prices){0};
    *number = 1;
    if (strlen(text) != len)
        return "there is a NUL in it";
    for (char *line; wrong == NULL && (line = strsep(&text, "\n")) != NULL;) {
        wrong = read_line(p, line);
        *number += wrong == NULL;
    }
    return wrong;
}
