// SPDX-License-Identifier: Apache-2.0

// Damage that is found while results are computed: the message says in which class, and where.

import RealmSession
import RealmStorage

extension ResultsState {
  /// The value of `body`, which searches for the elements, or a placeholder.
  @inline(__always) @discardableResult
  func searching<R>(
    _ body: @autoclosure () throws(StorageError) -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    do throws(StorageError) { return try body() } catch {
      meet(error)
      return placeholder()
    }
  }

  /// Reports damage that a search found; traps if there is no handler.
  @inline(never)
  func meet(_ error: StorageError) {
    switch source {
    case .list(let list) where info == nil:
      list.owner.meet(error, reading: list.property.name, of: list.key)
    default:
      if let info { info.meet(searching: error) } else { core.meet(error) }
    }
  }
}
