// SPDX-License-Identifier: Apache-2.0

// The error of values that come from outside of the program.

public import Foundation

/// A value cannot become an object of a class.
///
/// ```swift
/// do {
///   try realm.write { _ = try realm.create(Person.self, validating: json) }
/// } catch let error as ObjectValueError {
///   show(error.localizedDescription, at: error.keyPath)
/// }
/// ```
public struct ObjectValueError: Error, Hashable, Sendable {
  /// The class of the object that should have been created.
  public let className: String
  /// Where the value in question is, from the object that should have been created:
  /// `dogs[2].name`, `prices["EUR"]`. Empty for the value as a whole.
  public let keyPath: String
  /// What is wrong, and what was expected.
  public let localizedDescription: String
}

extension ObjectValueError: LocalizedError, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var errorDescription: String? { localizedDescription }
  /// What is wrong, and what was expected.
  public var description: String { localizedDescription }
}
