#include "commit.h"

const char *kith_commit(void) { return KITH_COMMIT; }
