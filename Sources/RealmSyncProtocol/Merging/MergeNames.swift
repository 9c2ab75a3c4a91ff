// SPDX-License-Identifier: Apache-2.0

// Names of both sides as comparable numbers.

/// The numbers of strings and objects in one merge.
///
/// Each changeset numbers its strings by itself. A merge gives numbers of its own to the strings
/// and objects of the incoming side; names of the local side alone have the number `absent`, equal
/// to none of the incoming ones.
struct MergeNames: Sendable {
  /// A string or object without a name on the incoming side.
  static let absent = UInt32.max
  private static let unresolved = UInt32.max - 1

  private struct ObjectName: Hashable {
    var table: UInt32
    /// A string key holds the number of the merge.
    var key: PrimaryKey
  }

  private var strings = StringTable()
  private var objects: [ObjectName: UInt32] = [:]
  /// The numbers of the strings of the present changeset, as far as they were needed.
  private var resolved: [UInt32] = []
  private var lastObject: (object: ObjectReference, number: UInt32)?
  /// Whether strings and objects without a number get one.
  private var isAdding = true

  /// The number of objects with a number.
  var objectCount: Int { objects.count }

  /// Forgets all names and keeps the memory.
  mutating func removeAll() {
    strings.removeAll()
    objects.removeAll(keepingCapacity: true)
    lastObject = nil
  }

  /// Turns to the names of another changeset.
  mutating func begin(_ changeset: Changeset, isAdding: Bool) {
    resolved.removeAll(keepingCapacity: true)
    resolved.append(contentsOf: repeatElement(Self.unresolved, count: changeset.strings.count))
    lastObject = nil
    self.isAdding = isAdding
  }

  /// The number of a string of the present changeset.
  mutating func string(_ string: InternedString, of changeset: Changeset) -> UInt32 {
    let known = resolved[Int(string.index)]
    if known != Self.unresolved { return known }
    let number =
      isAdding
      ? strings.intern(string, of: changeset.strings).index
      : strings.find(string, of: changeset.strings)?.index ?? Self.absent
    resolved[Int(string.index)] = number
    return number
  }

  /// The number of an object of the present changeset.
  mutating func object(_ object: ObjectReference, of changeset: Changeset) -> UInt32 {
    if let lastObject, lastObject.object == object { return lastObject.number }
    let number = number(of: object, in: changeset)
    lastObject = (object, number)
    return number
  }

  private mutating func number(of object: ObjectReference, in changeset: Changeset) -> UInt32 {
    let table = string(object.table, of: changeset)
    guard table != Self.absent else { return Self.absent }
    var name = ObjectName(table: table, key: object.key)
    if case .string(let key) = object.key {
      let number = string(key, of: changeset)
      guard number != Self.absent else { return Self.absent }
      name.key = .string(InternedString(number))
    }
    guard isAdding else { return objects[name] ?? Self.absent }
    if let number = objects[name] { return number }
    let number = UInt32(objects.count)
    objects[name] = number
    return number
  }

  /// The index in a changeset, present or new, for the string of a number.
  func intern(_ number: UInt32, in changeset: inout Changeset) -> InternedString {
    changeset.strings.intern(InternedString(number), of: strings)
  }
}
