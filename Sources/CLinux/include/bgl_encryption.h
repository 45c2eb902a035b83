/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_ENCRYPTION_H
#define BGL_ENCRYPTION_H

/* What the file system knows of the key of an encrypted folder (fscrypt). */
enum {
    /* The folder is not encrypted, or the file system cannot encrypt. */
    BGL_KEY_NONE = 0,
    BGL_KEY_PRESENT = 1,
    BGL_KEY_ABSENT = 2,
    /* Taken away while files were open: those stay readable, others are locked. */
    BGL_KEY_PARTLY_REMOVED = 3,
    /* A policy of the first version, whose key may also lie in a keyring that only its owner's processes see. */
    BGL_KEY_UNKNOWN = 4,
};

/* One of the above, or a negative errno. `folder` is an open folder. */
int bgl_encryption_key(int folder);

#endif
