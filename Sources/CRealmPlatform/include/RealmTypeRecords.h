// SPDX-License-Identifier: Apache-2.0

// The type records that the Swift compiler leaves in every loaded image.
#ifndef REALM_TYPE_RECORDS_H
#define REALM_TYPE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

/// Calls `body` with the start and the byte length of the type records of each loaded image.
/// Returns false where the platform keeps no such list (then use the Objective-C class list).
bool realm_enumerate_type_records(
    void (*_Nonnull body)(const void *_Nonnull records, size_t byteCount, void *_Nullable context),
    void *_Nullable context);

/// The metadata of a type that is not generic, made by the accessor function of its descriptor.
const void *_Nullable realm_metadata_of_descriptor(const void *_Nonnull descriptor);

/// The descriptor of a type, given its metadata; null if it has none.
const void *_Nullable realm_descriptor_of_metadata(const void *_Nonnull metadata);

#endif
