/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"

#define PATHS_MAX 100000

static int
add_path(struct stat_inputs *inputs, char *path)
{
    char **paths;

    if (path == NULL || inputs->count == PATHS_MAX) {
        free(path);
        return complain(STAT_USAGE, "too many files, or no memory");
    }
    paths = realloc(inputs->paths, (inputs->count + 1) * sizeof *paths);
    if (paths == NULL) {
        free(path);
        return complain(STAT_USAGE, "no memory");
    }
    inputs->paths = paths;
    inputs->paths[inputs->count++] = path;
    return 0;
}

/* A sweep keeps the summary beside each histogram. */
static int
is_shown(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return entry->d_name[0] != '.' &&
           strcmp(end != NULL ? end : "", ".json") != 0;
}

/* Add the files of RUN/FOLDER; *FOUND: there were some. */
static int
add_folder(struct stat_inputs *inputs, bool *found, const char *run,
           const char *folder)
{
    struct dirent **names = NULL;
    char *path;
    int status = 0, n = -1;

    *found = false;
    if (asprintf(&path, "%s/%s", run, folder) < 0)
        return complain(STAT_USAGE, "no memory");
    n = scandir(path, &names, is_shown, alphasort);
    if (n < 0 && errno != ENOENT)
        status =
            complain(STAT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    free(path);
    for (int i = 0; i < n; i++) {
        if (status == 0) {
            if (asprintf(&path, "%s/%s/%s", run, folder, names[i]->d_name) < 0)
                path = NULL;
            status = add_path(inputs, path);
            *found = true;
        }
        free(names[i]);
    }
    free(names);
    return status;
}

static int
add_run(struct stat_inputs *inputs, const char *run)
{
    bool found;
    int status = add_folder(inputs, &found, run, "ops");

    if (status == 0 && !found)
        status = add_folder(inputs, &found, run, "hist");
    if (status == 0 && !found)
        status = complain(STAT_USAGE,
                          "%s: has no records in ops/ and no histograms in "
                          "hist/",
                          run);
    return status;
}

int
stat_inputs_find(struct stat_inputs *inputs, const struct stat_command *command,
                 char **operands)
{
    struct stat s;
    int status = 0;

    *inputs = (struct stat_inputs){NULL, 0};
    if (*operands == NULL)
        return complain(STAT_USAGE, "%s: no FILE; - is standard input",
                        command->name);
    for (; status == 0 && *operands != NULL; operands++) {
        if (strcmp(*operands, "-") != 0 && stat(*operands, &s) == 0 &&
            S_ISDIR(s.st_mode))
            status = add_run(inputs, *operands);
        else
            status = add_path(inputs, strdup(*operands));
    }
    return status;
}

void
stat_inputs_clear(struct stat_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->paths[i]);
    free(inputs->paths);
    *inputs = (struct stat_inputs){NULL, 0};
}
