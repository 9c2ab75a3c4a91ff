// SPDX-License-Identifier: Apache-2.0

// The statements of the shell.
//
//   Dog WHERE age > 3 SORT(name ASC)         prints objects
//   INSERT Dog {"name": "Rex", "age": 3}     makes an object
//   UPDATE Dog SET {"age": 4} WHERE name == 'Rex'
//   DELETE Dog WHERE age > 20
//   BEGIN, COMMIT, ROLLBACK                  a transaction of several statements
//   .classes  .schema [Class]  .explain QUERY  .help  .quit

#if Tools
import RealmFormats

/// A parsed line of the shell.
enum ShellStatement: Hashable {
  case query(String)
  case insert(className: String, [JSONMember])
  /// The query selects the objects: `Dog WHERE …`.
  case update(query: String, [JSONMember])
  case delete(query: String)
  case begin, commit, rollback
  case classes
  case schema(String?)
  case explain(String)
  case help, quit
  case nothing

  /// Reads a line; an end with a semicolon is fine.
  init(_ line: String) throws(ToolFailure) {
    var text = Self.trimmed(line[...])
    while text.hasSuffix(";") { text = Self.trimmed(text.dropLast()) }
    let word = text.prefix { !$0.isWhitespace }
    let rest = Self.trimmed(text.dropFirst(word.count))
    switch word.uppercased() {
    case "": self = .nothing
    case "BEGIN" where rest.isEmpty: self = .begin
    case "COMMIT" where rest.isEmpty: self = .commit
    case "ROLLBACK" where rest.isEmpty: self = .rollback
    case ".CLASSES": self = .classes
    case ".SCHEMA": self = .schema(rest.isEmpty ? nil : Self.name(rest))
    case ".EXPLAIN": self = .explain(String(rest))
    case ".HELP",
      "HELP" where rest.isEmpty:
      self = .help
    case ".QUIT", ".EXIT",
      "QUIT" where rest.isEmpty, "EXIT" where rest.isEmpty:
      self = .quit
    case "INSERT": self = try Self.insert(rest)
    case "UPDATE": self = try Self.update(rest)
    case "DELETE":
      let isFrom = rest.prefix { !$0.isWhitespace }.uppercased() == "FROM"
      self = .delete(query: String(isFrom ? Self.trimmed(rest.dropFirst(4)) : rest))
    case _ where word.hasPrefix("."):
      throw .usage("There is no command '\(word)'. '.help' lists them.")
    default: self = .query(String(text))
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  private static func insert(_ text: Substring) throws(ToolFailure) -> ShellStatement {
    let isInto = text.prefix { !$0.isWhitespace }.uppercased() == "INTO"
    let rest = isInto ? trimmed(text.dropFirst(4)) : text
    guard let brace = rest.firstIndex(of: "{") else {
      throw .usage("An insertion is: INSERT Class {\"property\": value, …}")
    }
    let (members, tail) = try object(rest[brace...])
    guard trimmed(tail).isEmpty else {
      throw .usage("'\(trimmed(tail))' follows the object to insert.")
    }
    return .insert(className: name(trimmed(rest[..<brace])), members)
  }

  private static func update(_ text: Substring) throws(ToolFailure) -> ShellStatement {
    let form = "An update is: UPDATE Class SET {\"property\": value, …} WHERE predicate"
    guard let brace = text.firstIndex(of: "{") else { throw .usage(form) }
    let head = trimmed(text[..<brace])
    let name = trimmed(head.dropLast(3))
    guard head.suffix(3).uppercased() == "SET", name.count < head.count - 3, !name.isEmpty else {
      throw .usage(form)
    }
    let (members, tail) = try object(text[brace...])
    return .update(query: name + " " + trimmed(tail), members)
  }

  /// A name, which may stand in backticks.
  private static func name(_ text: Substring) -> String {
    guard text.count > 1, text.first == "`", text.last == "`" else { return String(text) }
    return String(text.dropFirst().dropLast())
  }

  /// The JSON object at the beginning of a text, and the rest.
  private static func object(_ text: Substring) throws(ToolFailure) -> ([JSONMember], Substring) {
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for index in text.indices {
      let character = text[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted {
        isEscaped = character == "\\"
        isQuoted = character != "\""
      } else {
        switch character {
        case "\"": isQuoted = true
        case "{", "[": depth += 1
        case "}", "]": depth -= 1
        default: break
        }
      }
      guard depth == 0, !isQuoted else { continue }
      let end = text.index(after: index)
      do throws(JSONError) {
        guard case .object(let members) = try JSONParser.parse(String(text[..<end])) else { break }
        return (members, text[end...])
      } catch { break }
    }
    throw .usage("'\(CellText.shortened(String(text), limit: 60))' is no JSON object.")
  }
}
#endif
