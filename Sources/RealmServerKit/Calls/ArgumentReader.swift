// SPDX-License-Identifier: Apache-2.0

// The arguments of a call as the types of a function.

#if Server
import RealmSwift

/// Reads the arguments of a call in their order.
struct ArgumentReader {
  private let function: String
  private let arguments: [AnyBSON]
  private let count: Int
  private var index = 0

  /// - Parameter count: The number for the function.
  init(_ function: String, _ arguments: [AnyBSON], count: Int) throws(ArgumentError) {
    guard arguments.count <= count else {
      throw ArgumentError(function, takes: count, got: arguments.count)
    }
    self.function = function
    self.arguments = arguments
    self.count = count
  }

  /// The next argument; an optional one may be missing at the end.
  mutating func next<T: Decodable>(_ type: T.Type) throws(ArgumentError) -> T {
    let number = index + 1
    defer { index = number }
    guard index < arguments.count || type is any OptionalArgument.Type else {
      throw ArgumentError(function, takes: count, got: arguments.count)
    }
    let value = index < arguments.count ? arguments[index] : .null
    do {
      return try ValueDecoder.decode(type, from: value)
    } catch {
      throw ArgumentError(function, number: number, error)
    }
  }
}

/// The arguments that a call may leave out.
private protocol OptionalArgument {}

extension Optional: OptionalArgument {}

/// The error of a call whose arguments a function does not take, or whose result is no BSON: its
/// text is for the caller.
struct ArgumentError: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ function: String, takes count: Int, got number: Int) {
    let names = count == 1 ? "1 argument" : "\(count) arguments"
    description = "the function '\(function)' takes \(names), and got \(number)"
  }

  init(_ function: String, result cause: EncodingError) {
    var text = "\(cause)"
    if case .invalidValue(_, let context) = cause { text = context.debugDescription }
    description = "the result of the function '\(function)' is no BSON: \(text)"
  }

  init(_ function: String, number: Int, _ cause: any Error) {
    var text = "\(cause)"
    var path: [any CodingKey] = []
    switch cause as? DecodingError {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      text = context.debugDescription
      path = context.codingPath
    default: break
    }
    let place = path.isEmpty ? "" : " at \(path.map(\.stringValue).joined(separator: "."))"
    description = "argument \(number) of the function '\(function)' does not fit\(place): \(text)"
  }
}
#endif
