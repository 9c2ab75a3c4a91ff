// SPDX-License-Identifier: Apache-2.0

// Conditions on properties whose types are the program's own.
//
// Comparisons, orders and aggregates need nothing from such a type but how it is stored. What is
// stored as an embedded object equals another value if all the properties of the two do.

extension Query where T: _CustomPersistable {
  /// The stored value of the property.
  ///
  /// ```swift
  /// let far = realm.objects(Entry.self).where { $0.walked.persistableValue > 2_000 }
  /// ```
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(operand) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable {
  /// The stored value of the property; null if the property is.
  public var persistableValue: Query<T.Wrapped.PersistedType?> {
    Query<T.Wrapped.PersistedType?>(operand)
  }
}
