// SPDX-License-Identifier: Apache-2.0

// The trace that a version leaves of each object it wrote to, so that views of earlier versions can
// be computed.

import RealmSyncProtocol
package import RealmTables

/// An object that a version touched, with what queries can ask of it before and after.
package struct Touch: Hashable, Sendable {
  /// A property that changed.
  package struct Field: Hashable, Sendable {
    package var name: String
    /// Nil for a large value, which is not kept.
    package var before: TableValue?

    /// Values that take more bytes are not kept: few conditions ask for such properties, and all
    /// that a version changed is one value of the store.
    package static let byteCountMax = 4096

    package init(name: String, before: TableValue?) {
      self.name = name
      self.before = before
    }
  }

  /// Whether the object was and is there.
  package enum Existence: UInt8, Hashable, Sendable {
    case stayed = 0
    case created = 1
    /// All properties that queries can ask for are in `fields`.
    case erased = 2
    /// It was not there before and is not afterwards.
    case absent = 3
    /// It is not known what happened to it.
    case unknown = 4
  }

  package var object: ObjectIdentity
  package var existence: Existence
  /// The properties that changed, with their values before; none if the object was created.
  package var fields: [Field]
  /// Whether the author's first change of it was to make it, whatever merging left of that: it had
  /// no such object before.
  package var isMade: Bool
  /// Whether merging discarded that.
  package var isLost: Bool

  package init(
    object: ObjectIdentity, existence: Existence, fields: [Field] = [], isMade: Bool = false,
    isLost: Bool = false
  ) {
    self.isLost = isLost
    self.isMade = isMade
    self.object = object
    self.existence = existence
    self.fields = fields
  }
}

extension Touch.Field {
  /// The property of an object as it was, without a value that is large.
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
    case .list(let values): values.reduce(0) { $0 + $1.payloadByteCount }
    default: 8
    }
  }
}

extension Touch {
  /// The objects of a changeset of which nothing else is known.
  static func unknown(in changeset: Changeset) -> [Touch] {
    var seen: Set<ObjectReference> = []
    return changeset.instructions.compactMap { instruction in
      guard let object = instruction.object, seen.insert(object).inserted else { return nil }
      return Touch(object: changeset.identity(of: object), existence: .unknown)
    }
  }
}
