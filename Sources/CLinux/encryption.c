/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#include "bgl_encryption.h"

#include <errno.h>
#include <linux/fscrypt.h>
#include <string.h>
#include <sys/ioctl.h>

/* Whether an error means that there is no encryption, instead of a failed query. */
static int means_none(int error) {
    return error == ENODATA || error == ENOTTY || error == EOPNOTSUPP || error == EINVAL;
}

int bgl_encryption_key(int directory) {
    struct fscrypt_get_policy_ex_arg argument;
    memset(&argument, 0, sizeof argument);
    argument.policy_size = sizeof argument.policy;
    if (ioctl(directory, FS_IOC_GET_ENCRYPTION_POLICY_EX, &argument) != 0) {
        return means_none(errno) ? BGL_KEY_NONE : -errno;
    }
    if (argument.policy.version != FSCRYPT_POLICY_V2) return BGL_KEY_UNKNOWN;

    struct fscrypt_get_key_status_arg status;
    memset(&status, 0, sizeof status);
    status.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
    memcpy(status.key_spec.u.identifier, argument.policy.v2.master_key_identifier, FSCRYPT_KEY_IDENTIFIER_SIZE);
    if (ioctl(directory, FS_IOC_GET_ENCRYPTION_KEY_STATUS, &status) != 0) return -errno;
    switch (status.status) {
        case FSCRYPT_KEY_STATUS_ABSENT: return BGL_KEY_ABSENT;
        case FSCRYPT_KEY_STATUS_PRESENT: return BGL_KEY_PRESENT;
        default: return BGL_KEY_PARTLY_REMOVED;
    }
}
