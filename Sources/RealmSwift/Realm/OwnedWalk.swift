// SPDX-License-Identifier: Apache-2.0

// An end for walks of the API over the contents of damaged files.
//
// Invariants:
// 1. What an object that is not embedded owns is counted as one: all its embedded objects and the
//    collections in its mixed values. Linked objects have counts of their own, as several objects
//    may link to the same one.
// 2. A walk that has come to an end because of damage follows nothing more, whatever it comes to:
//    the rest of it is as short as what is not owned.

import RealmStorage
import RealmTables

/// Ends a walk over embedded objects, and collections in mixed values, if it comes to the same ones
/// again and again: each has one owner, except in a damaged file.
final class OwnedWalk {
  /// What the object at hand owns; nil if the walk has come to none of it.
  private var visits: OwnedVisits?
  /// Whether the walk is within an object that owns what it comes to.
  private var isOwned = false
  /// Whether the walk has been ended.
  private var isEnded = false

  /// The value of `body`, a walk over the contents of `object`, which it owns and which have one
  /// count, unless it is embedded itself, or belongs to no realm.
  func owned<R>(by object: ObjectBase?, _ body: () -> R) -> R {
    guard let info = object?._info, info.schema.tableKind != .embedded else { return body() }
    let outer = (visits, isOwned)
    (visits, isOwned) = (nil, true)
    defer {
      (visits, isOwned) = outer
      if !isOwned, visits == nil { isEnded = false }
    }
    return body()
  }

  /// The value of `body`, a walk over the contents of `object`; `placeholder` if the walk has no
  /// end: this is passed on as damage of the object.
  func following<R>(
    _ object: ObjectBase, _ body: () -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    guard let info = object._info else { return body() }
    if isEnded { return placeholder() }
    do throws(StorageError) { try unsafe enter(info.core, "embedded objects") } catch {
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
    if isEnded { return placeholder() }
    do throws(StorageError) { try enter(collection.core, "nested collections") } catch {
      collection.owner.meet(error, reading: collection.property.name, of: collection.key)
      return placeholder()
    }
    defer { leave() }
    return body()
  }

  /// Notes that the walk has come to the elements of a collection.
  func note(elementCount: Int) { visits?.note(elementCount: elementCount) }

  private func enter(_ core: RealmCore, _ name: StaticString) throws(StorageError) {
    if visits == nil { visits = OwnedVisits(in: try core.tableReader(), repeatCount: 1) }
    do { try visits?.enter(name) } catch {
      isEnded = isOwned || visits?.depth != 0
      throw error
    }
  }

  private func leave() {
    visits?.leave()
    guard !isOwned, visits?.depth == 0 else { return }
    (visits, isEnded) = (nil, false)
  }
}
