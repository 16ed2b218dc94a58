/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "payload_text.h"

#include <stddef.h>
#include <string.h>

#define WORD_ROOM 16u
#define LINE_MIN 64u /* a line ends with the first word beyond */

/*
 * At least three letters and a blank, so that a block takes at most
 * PAYLOAD_TEXT_CHOICES of them. Objects that are stored depend on this list:
 * it stays as it is.
 */
static const char words[256][WORD_ROOM] = {
    "about ",    "above ",   "across ",  "action ",   "active ",  "actor ",
    "adult ",    "advice ",  "after ",   "again ",    "agent ",   "agree ",
    "ahead ",    "alarm ",   "album ",   "alive ",    "allow ",   "almost ",
    "alone ",    "along ",   "already ", "also ",     "always ",  "amber ",
    "among ",    "amount ",  "anchor ",  "angle ",    "animal ",  "answer ",
    "apple ",    "april ",   "arctic ",  "argue ",    "arrive ",  "artist ",
    "aside ",    "atlas ",   "attic ",   "august ",   "autumn ",  "aware ",
    "badge ",    "baker ",   "balance ", "bamboo ",   "banner ",  "barrel ",
    "basin ",    "basket ",  "beach ",   "beacon ",   "became ",  "because ",
    "become ",   "before ",  "began ",   "begin ",    "behind ",  "bench ",
    "beside ",   "better ",  "between ", "beyond ",   "bicycle ", "bitter ",
    "blanket ",  "blossom ", "blue ",    "board ",    "border ",  "borrow ",
    "both ",     "bottle ",  "bottom ",  "branch ",   "brave ",   "bread ",
    "breeze ",   "bridge ",  "bright ",  "bring ",    "broad ",   "broken ",
    "brother ",  "brown ",   "bucket ",  "build ",    "butter ",  "button ",
    "cabin ",    "camera ",  "candle ",  "canvas ",   "captain ", "carbon ",
    "careful ",  "carpet ",  "carry ",   "castle ",   "cattle ",  "caught ",
    "cellar ",   "center ",  "chain ",   "chair ",    "chance ",  "change ",
    "chapter ",  "cheese ",  "cherry ",  "child ",    "choose ",  "circle ",
    "city ",     "clean ",   "clear ",   "clever ",   "climb ",   "clock ",
    "cloud ",    "coast ",   "coffee ",  "collect ",  "color ",   "common ",
    "compass ",  "copper ",  "corner ",  "cotton ",   "could ",   "country ",
    "couple ",   "course ",  "cousin ",  "cover ",    "cradle ",  "create ",
    "creek ",    "cross ",   "crowd ",   "crystal ",  "current ", "curtain ",
    "damage ",   "dance ",   "danger ",  "daughter ", "deep ",    "deliver ",
    "desert ",   "design ",  "detail ",  "diamond ",  "dinner ",  "distance ",
    "doctor ",   "dollar ",  "double ",  "dragon ",   "drawer ",  "dream ",
    "driver ",   "during ",  "dust ",    "eagle ",    "early ",   "earth ",
    "easy ",     "edge ",    "effort ",  "eight ",    "either ",  "eleven ",
    "empty ",    "engine ",  "enough ",  "enter ",    "equal ",   "evening ",
    "every ",    "example ", "explain ", "fabric ",   "family ",  "famous ",
    "farmer ",   "father ",  "feather ", "fellow ",   "fence ",   "field ",
    "figure ",   "finger ",  "finish ",  "fire ",     "fisher ",  "flame ",
    "flower ",   "follow ",  "forest ",  "forget ",   "forward ", "found ",
    "fountain ", "fresh ",   "friend ",  "from ",     "frozen ",  "fruit ",
    "future ",   "garden ",  "gather ",  "gentle ",   "giant ",   "glass ",
    "golden ",   "grain ",   "grand ",   "grass ",    "great ",   "green ",
    "ground ",   "group ",   "grow ",    "guard ",    "guess ",   "guest ",
    "guide ",    "habit ",   "half ",    "hammer ",   "happy ",   "harbor ",
    "harvest ",  "heart ",   "heavy ",   "height ",   "hello ",   "hidden ",
    "high ",     "history ", "hollow ",  "honest ",   "horse ",   "hotel ",
    "hour ",     "house ",   "human ",   "hundred ",  "hunter ",  "ice ",
    "idea ",     "island ",  "january ", "jacket ",
};

void
payload_text_make(char out[PAYLOAD_TEXT_ROOM],
                  const unsigned char choice[PAYLOAD_TEXT_CHOICES])
{
    size_t at = 0, line = 0;

    while (at < PAYLOAD_TEXT_BLOCK) {
        const char *word = words[*choice++];

        /* All of its room: faster than to copy just the word. */
        memcpy(out + at, word, WORD_ROOM);
        at += strlen(word);
        if (at - line > LINE_MIN) {
            out[at - 1] = '\n';
            line = at;
        }
    }
    out[PAYLOAD_TEXT_BLOCK - 1] = '\n';
}
