// SPDX-License-Identifier: Apache-2.0

// The changes of the objects of one table, without the class.

/// The objects of a table that came, changed and went.
struct ObjectChanges: Sendable {
  struct Modification: Sendable {
    let identity: ObjectIdentity
    let propertyNames: [String]
  }

  var insertions: [ObjectIdentity] = []
  var modifications: [Modification] = []
  var deletions: [ObjectIdentity] = []

  var isEmpty: Bool { insertions.isEmpty && modifications.isEmpty && deletions.isEmpty }
}
