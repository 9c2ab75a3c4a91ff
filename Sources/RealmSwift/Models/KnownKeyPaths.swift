// SPDX-License-Identifier: Apache-2.0

// The names of the key paths that the program has used: finding one takes a new object, which costs
// more than many queries.
//
// Invariants:
// 1. An entry keeps its key path: no other one gets its address, which is what entries are found
//    by.
// 2. Names are found, and key paths released, outside of the lock: both may run the program's code.

import RealmQuery
import RealmStorage

/// The names of key paths, remembered.
///
/// A key path of a literal without captured values is the same object each time. Others are made
/// anew: they fill the table up, and then it begins again.
enum KnownKeyPaths {
  /// What is known of a key path.
  final class Entry: @unchecked Sendable {
    // Sendable: nothing of it changes, and the values that the key path may have captured are not
    // used.
    fileprivate let keyPath: AnyKeyPath
    /// The names that the key path leads through, joined by dots.
    let name: String
    /// The path from an object that a query is about, for values and for collections.
    fileprivate let one: Operand
    fileprivate let many: Operand

    fileprivate init(_ keyPath: AnyKeyPath, _ name: String) {
      self.keyPath = keyPath
      self.name = name
      one = .path(PropertyPath().followed(by: name, isMany: false))
      many = .path(PropertyPath().followed(by: name, isMany: true))
    }

    /// The path from an object that a query is about.
    func operand(isMany: Bool) -> Operand { isMany ? many : one }
  }

  private static let entries = Locked<[ObjectIdentifier: Entry]>([:])
  /// More than programs have literals for.
  private static let capacity = 2048

  /// What is known of a key path of the class `model`.
  static func entry(of keyPath: AnyKeyPath, from model: ObjectBase.Type) -> Entry {
    let identity = ObjectIdentifier(keyPath)
    if let entry = entries.withLock({ $0[identity] }) { return entry }
    // `KnownKeyPaths` 2: no lock is held.
    let entry = Entry(keyPath, _name(for: keyPath, of: model))
    let isFull = entries.withLock { $0.count >= capacity }
    if isFull { forgetAll() }
    entries.withLock { $0[identity] = entry }
    return entry
  }

  /// Forgets all names, as what is a property of a class may change.
  static func forgetAll() {
    let forgotten = entries.withLock { entries in
      defer { entries = [:] }
      return entries
    }
    withExtendedLifetime(forgotten) {}
  }
}
