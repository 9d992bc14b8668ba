/* SPDX-License-Identifier: MIT */
#include "model/hosted/card_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 65536 };

static struct { struct card card; char path[PATH_MAX]; } opened;

static bool is_file(const char *request)
{
    static const char extension[] = ".card";
    size_t length = strlen(request);
    return strchr(request, '/')
           || (length >= sizeof extension - 1
               && strcmp(request + length - (sizeof extension - 1), extension) == 0);
}

/* At most MOST_BYTES + 1; false: errno says why. */
static bool read_all(const char *path, char *text, size_t *length)
{
    /* Never waits for a writer, when it is a pipe. */
    int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = from < 0 ? -1 : 1;
    *length = 0;
    while (n > 0 && *length <= MOST_BYTES) {
        n = read(from, text + *length, MOST_BYTES + 1 - *length);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            *length += (size_t)n;
    }
    int error = errno;
    if (from >= 0)
        close(from);
    errno = error;
    return n >= 0;
}

static const struct card *open_file(const char *path, char *trouble)
{
    static char text[MOST_BYTES + 1];
    struct card card;
    size_t length, line;
    const char *error;
    if (!read_all(path, text, &length))
        snprintf(trouble, CARD_TROUBLE, "%s: %s", path, strerror(errno));
    else if (length > MOST_BYTES)
        snprintf(trouble, CARD_TROUBLE, "%s: too long for a card", path);
    else if (!card_parse(&card, text, length, &line, &error))
        snprintf(trouble, CARD_TROUBLE, "%s:%zu: %s", path, line, error);
    else if (!realpath(path, opened.path))
        snprintf(trouble, CARD_TROUBLE, "%s: %s", path, strerror(errno));
    else {
        opened.card = card;
        return &opened.card;
    }
    return NULL;
}

const struct card *card_open(const char *request, char *trouble)
{
    if (!request || !*request)
        request = "h200";
    if (is_file(request))
        return open_file(request, trouble);
    const struct card *card = card_find(request);
    size_t used = 0;
    if (!card)
        used = (size_t)snprintf(trouble, CARD_TROUBLE, "there is no card '%.100s'; there are ",
                                request);
    for (size_t i = 0; !card && i < card_count() && used < CARD_TROUBLE; i++)
        used += (size_t)snprintf(trouble + used, CARD_TROUBLE - used, "%s%s", card_at(i)->name,
                                 i + 1 < card_count() ? ", " : ", and files: ./mine.card");
    return card;
}

const char *card_request(const struct card *card)
{
    return card == &opened.card ? opened.path : card->name;
}
