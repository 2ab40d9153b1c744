/// The commit of which this is built, as COMMIT in the environment of the build says; otherwise "unknown".
const char *kith_commit(void);
