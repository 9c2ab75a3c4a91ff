// SPDX-License-Identifier: Apache-2.0

#include "RealmTypeRecords.h"

#include <stdint.h>

typedef struct {
  const void *metadata;
  uintptr_t state;
} MetadataResponse;

typedef __attribute__((swiftcall)) MetadataResponse (*MetadataAccessor)(uintptr_t request);

// `struct TypeContextDescriptor`: flags, parent, name, accessor, all of 4 bytes; the last three are
// relative to their own address.
static const size_t accessorOffset = 12;

const void *realm_metadata_of_descriptor(const void *descriptor) {
  const char *field = (const char *)descriptor + accessorOffset;
  int32_t distance = *(const int32_t *)field;
  if (distance == 0) return NULL;
  // Request 0: complete metadata, blocking.
  return ((MetadataAccessor)(uintptr_t)(field + distance))(0).metadata;
}

extern __attribute__((swiftcall)) const void *swift_getTypeContextDescriptor(const void *metadata);

const void *realm_descriptor_of_metadata(const void *metadata) {
  return swift_getTypeContextDescriptor(metadata);
}

#ifdef __ELF__

// The start of `struct MetadataSections`, the table that each image registers with the runtime.
typedef struct {
  const void *start;
  uintptr_t byteCount;
} SectionRange;

typedef struct {
  uintptr_t version;
  const void *baseAddress;
  const void *unused[2];
  SectionRange protocols;
  SectionRange conformances;
  SectionRange types;
} MetadataSections;

extern void swift_enumerateAllMetadataSections(
    bool (*body)(const MetadataSections *sections, void *context), void *context);

typedef struct {
  void (*body)(const void *records, size_t byteCount, void *context);
  void *context;
} Enumeration;

static bool visit(const MetadataSections *sections, void *context) {
  const Enumeration *enumeration = context;
  if (sections->types.start != NULL && sections->types.byteCount != 0)
    enumeration->body(sections->types.start, sections->types.byteCount, enumeration->context);
  return true;
}

bool realm_enumerate_type_records(
    void (*body)(const void *records, size_t byteCount, void *context), void *context) {
  Enumeration enumeration = {body, context};
  swift_enumerateAllMetadataSections(visit, &enumeration);
  return true;
}

#else

bool realm_enumerate_type_records(
    void (*body)(const void *records, size_t byteCount, void *context), void *context) {
  (void)body;
  (void)context;
  return false;
}

#endif
