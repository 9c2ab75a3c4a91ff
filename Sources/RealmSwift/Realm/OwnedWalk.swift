// SPDX-License-Identifier: Apache-2.0

// An end for walks of the API over the contents of damaged files.

import RealmStorage
import RealmTables

/// Ends a walk over embedded objects, and collections in mixed values, if it comes to the same ones
/// again and again: each has one owner, except in a damaged file.
final class OwnedWalk {
  /// Those of the walk; nil between walks.
  private var visits: OwnedVisits?

  /// The value of `body`, a walk over the contents of `object`; `placeholder` if the walk has no
  /// end: this is passed on as damage of the object.
  func following<R>(
    _ object: ObjectBase, _ body: () -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    guard let info = object._info else { return body() }
    do throws(StorageError) { try unsafe enter(info.core) } catch {
      unsafe info.meet(error, of: object._key)
      return placeholder()
    }
    defer { leave() }
    return body()
  }

  /// The value of `body`, a walk over the elements of a collection in a mixed value.
  func following<R>(
    _ collection: ManagedCollection?, _ body: () -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    guard let collection else { return body() }
    do throws(StorageError) { try enter(collection.core) } catch {
      collection.owner.meet(error, reading: collection.property.name, of: collection.key)
      return placeholder()
    }
    defer { leave() }
    return body()
  }

  private func enter(_ core: RealmCore) throws(StorageError) {
    if visits == nil { visits = OwnedVisits(in: try core.tableReader(), repeatCount: 1) }
    try visits?.enter()
  }

  private func leave() {
    visits?.leave()
    if visits?.depth == 0 { visits = nil }
  }
}
