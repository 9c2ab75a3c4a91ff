// SPDX-License-Identifier: Apache-2.0

// The identity of objects while they are copied.

import RealmTables

/// The identity of an object that is being copied, however many instances represent it.
enum CopiedObject: Hashable {
  case unmanaged(ObjectIdentifier)
  case managed(ObjectIdentifier, ObjectKey)

  init(_ object: ObjectBase) {
    if let info = object._info {
      self = unsafe .managed(ObjectIdentifier(info), object._key)
    } else {
      self = .unmanaged(ObjectIdentifier(object))
    }
  }
}
