#include <libpq-fe.h>

#ifdef __linux__
// Swift's Glibc module leaves it out.
#include <sys/eventfd.h>
#endif
