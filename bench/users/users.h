/* What the plain loops include: the sizes, as constants, and the room for their own stages. */
#ifndef USERS_H
#define USERS_H

#include <math.h>
#include <string.h>

#include "sizes.h" /* made by `run`: enum { n = 1024 }; as the .lift file and --size say */

/* A stage's array: where the kernels' own arrays begin, too. */
#define STAGE static _Alignas(64)

#endif
