// SPDX-License-Identifier: Apache-2.0

// How values of a type are written in query strings, for messages about values of other types.

/// The remedy for a comparison with a value of another type.
enum LiteralHint {
  /// The page that has all literals.
  static let page = "Documentation/QueryLanguage.md has all literals."

  /// How a value of a type is written; the type is given by its name in messages.
  static func text(for type: String) -> String {
    let form: String
    switch type {
    case "object id":
      form = "an ObjectId is written as oid(507f1f77bcf86cd799439011), with 24 hexadecimal digits"
    case "uuid": form = "a UUID is written as uuid(3b241101-e2bb-4255-8caf-4136c566a962)"
    case "date": form = "a date is written without quotes, as 1950-01-01 or 1950-01-01@13:05:00"
    case "bool": form = "a truth is true or false, without quotes"
    case "int", "float", "double", "decimal128": form = "a number is written without quotes"
    case "string": form = "a text is written in quotes"
    case "data": form = "data are written as B64'…'"
    case "object": form = "an object is written as obj(Class, primaryKey)"
    default: return page
    }
    return "In a query, \(form). \(page)"
  }
}
