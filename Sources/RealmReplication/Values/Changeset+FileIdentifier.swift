// SPDX-License-Identifier: Apache-2.0

// The identity of objects without primary key, once the server has given their file its identifier
// (P5 3).

package import RealmSyncProtocol

extension Changeset {
  /// Replaces 0 by the identifier of the file that made the changeset, in changesets from before it
  /// had one: in the objects of instructions, and in assigned, inserted and erased links.
  ///
  /// - Returns: Whether anything was replaced.
  package mutating func replaceOwnFile(by file: FileIdentifier) -> Bool {
    var isChanged = false
    for index in instructions.indices {
      isChanged = instructions[index].replaceOwnFile(by: file) || isChanged
    }
    return isChanged
  }
}

extension Instruction {
  fileprivate mutating func replaceOwnFile(by file: FileIdentifier) -> Bool {
    var isChanged = false
    switch self {
    case .createObject(var object):
      isChanged = object.key.replaceOwnFile(by: file)
      if isChanged { self = .createObject(object) }
    case .eraseObject(var object):
      isChanged = object.key.replaceOwnFile(by: file)
      if isChanged { self = .eraseObject(object) }
    default:
      if var path, path.key.replaceOwnFile(by: file) {
        self.path = path
        isChanged = true
      }
    }
    if case .link(let table, var key) = payload, key.replaceOwnFile(by: file) {
      payload = .link(table: table, key: key)
      isChanged = true
    }
    return isChanged
  }
}

extension PrimaryKey {
  fileprivate mutating func replaceOwnFile(by file: FileIdentifier) -> Bool {
    guard case .globalKey(var key) = self, key.high == FileIdentifier.own.rawValue,
      file != .own
    else { return false }
    key.high = file.rawValue
    self = .globalKey(key)
    return true
  }
}
