// SPDX-License-Identifier: Apache-2.0

// The error for values that come from outside of the program and do not fit.

public import Foundation

/// The error of a value that cannot become an object of a class.
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
  /// The path of the value in question, from the object that should have been created:
  /// `dogs[2].name`, `prices["EUR"]`. Empty for the value as a whole.
  public let keyPath: String
  /// The problem, and the expected value.
  public let localizedDescription: String
}

extension ObjectValueError: LocalizedError, CustomStringConvertible {
  /// The problem, and the expected value.
  public var errorDescription: String? { localizedDescription }
  /// The problem, and the expected value.
  public var description: String { localizedDescription }
}
