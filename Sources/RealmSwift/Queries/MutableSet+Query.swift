// SPDX-License-Identifier: Apache-2.0

// Queries that sets do not have.

public import Foundation
import RealmSession

extension MutableSet where Element: ObjectBase {
  /// Traps: elements of a set have no position that means something.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    refuseIndexMatching()
  }

  /// Traps: elements of a set have no position that means something.
  public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
    refuseIndexMatching()
  }

  /// Traps: elements of a set have no position that means something.
  public func index(matching predicate: NSPredicate) -> Int? { refuseIndexMatching() }

  private func refuseIndexMatching() -> Never {
    throwRealmException("index(matching:) is not available on MutableSet")
  }
}
