/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_ENCRYPTION_H
#define BGL_ENCRYPTION_H

/* State of the key of an encrypted directory (fscrypt). */
enum {
    /* The directory is not encrypted, or the file system has no encryption. */
    BGL_KEY_NONE = 0,
    BGL_KEY_PRESENT = 1,
    BGL_KEY_ABSENT = 2,
    /* The key was removed while files were open: the open files stay readable, all others are locked. */
    BGL_KEY_PARTLY_REMOVED = 3,
    /* A policy of version 1, whose key may be in a keyring that only its owner's processes can access. */
    BGL_KEY_UNKNOWN = 4,
};

/* State of the key: one of BGL_KEY_..., or a negative errno. `directory` is an open directory. */
int bgl_encryption_key(int directory);

#endif
