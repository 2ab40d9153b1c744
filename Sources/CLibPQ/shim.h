#include <libpq-fe.h>

#ifdef __linux__
// Swift's Glibc module lacks it.
#include <sys/eventfd.h>
#endif
