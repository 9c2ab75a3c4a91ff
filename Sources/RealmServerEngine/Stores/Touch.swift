// SPDX-License-Identifier: Apache-2.0

// The trace of a version in each object it wrote to, for computing views of earlier versions.

package import RealmSyncProtocol
package import RealmTables

/// An object touched by a version, with its queryable values before and after.
package struct Touch: Hashable, Sendable {
  /// A changed property.
  package struct Field: Hashable, Sendable {
    package var name: String
    /// Nil for a large value; it is not kept.
    package var before: TableValue?

    /// Larger values are not kept: few conditions ask for such properties, and all touches of a
    /// version are one value of the store.
    package static let byteCountMax = 4096
  }

  /// Whether the object was and is there.
  package enum Existence: UInt8, Hashable, Sendable {
    case stayed = 0
    case created = 1
    /// All queryable properties are in `fields`.
    case erased = 2
    /// It was not there before and is not afterwards.
    case absent = 3
    /// Its changes are not known.
    case unknown = 4
  }

  package var object: ObjectIdentity
  package var existence: Existence
  /// The changed properties, with their values before; none if the object was created.
  package var fields: [Field]
  /// Whether the author's first change of it was its creation, whatever merging left: it had no
  /// such object before.
  package var isMade: Bool
  /// Whether merging discarded the creation.
  package var isLost: Bool
  /// Whether the author has other values: the server left initial values out of a creation
  /// (`UnreadFields`), the object was there before, and the author sees these properties by now.
  package var isReduced: Bool

  package init(
    object: ObjectIdentity, existence: Existence, fields: [Field] = [], isMade: Bool = false,
    isLost: Bool = false, isReduced: Bool = false
  ) {
    self.isLost = isLost
    self.isReduced = isReduced
    self.isMade = isMade
    self.object = object
    self.existence = existence
    self.fields = fields
  }
}

extension Touch.Field {
  /// The earlier value of a property, without a large one.
  init(_ name: String, kept value: TableValue) {
    self.init(name: name, before: value.payloadByteCount > Self.byteCountMax ? nil : value)
  }
}

extension TableValue {
  /// The bytes of strings and binaries, and something for others.
  fileprivate var payloadByteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .binary(let bytes): bytes.count
    // Also what is empty takes a byte.
    case .list(let values): values.reduce(0) { $0 + max($1.payloadByteCount, 1) }
    default: 8
    }
  }
}

extension Touch {
  /// The objects of a changeset without known values.
  package static func unknown(in changeset: Changeset) -> [Touch] {
    var seen: Set<ObjectReference> = []
    return changeset.instructions.compactMap { instruction in
      guard let object = instruction.object, seen.insert(object).inserted else { return nil }
      return Touch(object: changeset.identity(of: object), existence: .unknown)
    }
  }
}

/// A class and an object's identity in it.
package struct ObjectIdentity: Hashable, Sendable {
  /// The primary key, or the global key where the class has none.
  package enum Key: Hashable, Sendable {
    case value(TableValue)
    case global(GlobalKey)
  }

  package var className: String
  package var key: Key

  package init(className: String, key: Key) {
    self.className = className
    self.key = key
  }
}
