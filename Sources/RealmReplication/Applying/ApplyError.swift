// SPDX-License-Identifier: Apache-2.0

// Why a changeset cannot be carried out.

package import RealmStorage
package import RealmTables

/// The error of carrying out a changeset. The transaction has to be rolled back.
package enum ApplyError: ErrorAboveStorage, Hashable, Sendable {
  /// An instruction does not fit the file: the changeset's author or the merge is wrong.
  case badChangeset(ApplyProblem, instruction: String)
  /// The database failed.
  case storage(StorageError)
}

/// The misfit between an instruction and the file.
package enum ApplyProblem: Error, Hashable, Sendable {
  /// There is no such class.
  case missingClass(String)
  /// There is no such property.
  case missingProperty(String)
  /// A class is there already, and of another kind or with another primary key.
  case classMismatch(String)
  /// A property is there already, and of another type.
  case propertyMismatch(String)
  /// An impossible name of a class or property.
  case badName(String)
  /// A primary key is of another type than the class's.
  case badKey(String)
  /// Objects of the class are not created or erased by themselves.
  case embeddedClass(String)
  /// The value cannot be at its place.
  case badValue(String)
  /// Classes and properties are not erased when own changes are recovered.
  case erasedSchema(String)
  /// The class has as many properties as it may have.
  case tooManyProperties(String, Int)
  /// The file has as many classes as it may have.
  case tooManyClasses(Int)
  /// The instructions cost more work than an upload may.
  case tooMuchWork
  /// A path has more steps than `PathLimit.stepCountMax`.
  case pathTooLong
  /// The path has no end in the file, or its end cannot be changed so.
  case path(PathError)
  /// A limit of the file was reached.
  case refused(StorageError)
}

extension ApplyProblem: ErrorAboveStorage {
  package static func storage(_ error: StorageError) -> ApplyProblem { .refused(error) }
}

extension ApplyProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingClass(let name): "there is no class '\(name)'"
    case .missingProperty(let name): "there is no property '\(name)'"
    case .classMismatch(let name): "the class '\(name)' is of another kind, or has another key"
    case .propertyMismatch(let name): "the property '\(name)' has another type"
    case .badName(let name): "'\(name)' cannot be the name of a class or property"
    case .badKey(let text): "a primary key is of another type than its class has: \(text)"
    case .embeddedClass(let name): "objects of '\(name)' come and go with those that own them"
    case .badValue(let text): "the value cannot be at its place: \(text)"
    case .erasedSchema(let text): "classes and properties are not removed here: \(text)"
    case .tooManyProperties(let name, let limit): "'\(name)' has more than \(limit) properties"
    case .tooManyClasses(let limit): "there are more than \(limit) classes"
    case .tooMuchWork: "the instructions cost more work than an upload may"
    case .pathTooLong: "a path has too many steps"
    case .path(let error): "\(error)"
    case .refused(let error): "\(error)"
    }
  }
}

extension ApplyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badChangeset(let problem, let instruction): "Bad changeset: \(problem) at \(instruction)"
    case .storage(let error): "\(error)"
    }
  }
}
