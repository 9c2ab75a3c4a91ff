// SPDX-License-Identifier: Apache-2.0

// The manual page of a program, made of what its parser knows of its commands.

#if Tools
package import RealmFormats

/// Writes a page for `man`, in the language mdoc.
package struct ManualPage {
  private let command: JSONValue
  private let version: String

  /// - Parameter dump: The commands as the argument parser describes them.
  package init(dump: JSONValue, version: String) throws(ToolFailure) {
    guard let command = dump["command"], command["commandName"]?.string != nil else {
      throw .badData("The description of the commands has none.")
    }
    self.command = command
    self.version = version
  }

  package var text: String {
    let name = string(command, "commandName")
    var lines = [
      ".Dd $Mdocdate$", ".Dt \(name.uppercased()) 1", ".Os", ".Sh NAME", ".Nm \(name)",
      ".Nd \(escaped(string(command, "abstract")))", ".Sh SYNOPSIS",
    ]
    let commands = subcommands
    for sub in commands { lines += synopsis(sub) }
    lines += [".Sh DESCRIPTION"] + paragraphs(string(command, "discussion"))
    lines += [".Sh COMMANDS"]
    for sub in commands {
      lines.append(".Ss \(string(sub, "commandName"))")
      lines += paragraphs(string(sub, "abstract") + "\n\n" + string(sub, "discussion"))
      let arguments = shown(sub)
      guard !arguments.isEmpty else { continue }
      lines.append(".Bl -tag -width indent")
      for argument in arguments {
        lines.append(".It \(argumentText(argument))")
        lines.append(escaped(string(argument, "abstract")))
      }
      lines.append(".El")
    }
    lines += [".Sh VERSION", escaped(version)]
    return lines.map { $0 + "\n" }.joined()
  }

  private var subcommands: [JSONValue] {
    (command["subcommands"]?.array ?? []).filter {
      $0["commandName"]?.string != "help" && $0["shouldDisplay"] != .bool(false)
    }
  }

  private func string(_ value: JSONValue, _ key: String) -> String { value[key]?.string ?? "" }

  private func shown(_ command: JSONValue) -> [JSONValue] {
    (command["arguments"]?.array ?? []).filter { $0["shouldDisplay"] != .bool(false) }
  }

  private func synopsis(_ sub: JSONValue) -> [String] {
    var lines = [".Nm", ".Cm \(string(sub, "commandName"))"]
    if shown(sub).contains(where: { string($0, "kind") != "positional" }) {
      lines.append(".Op Ar options")
    }
    for argument in shown(sub) where string(argument, "kind") == "positional" {
      let name = "Ar \(escaped(string(argument, "valueName")))"
      let end = argument["isRepeating"] == .bool(true) ? " ..." : ""
      lines.append((argument["isOptional"] == .bool(true) ? ".Op " : ".") + name + end)
    }
    return lines
  }

  private func argumentText(_ argument: JSONValue) -> String {
    let value = escaped(string(argument, "valueName"))
    guard string(argument, "kind") != "positional" else { return "Ar \(value)" }
    let names = (argument["names"]?.array ?? []).map { name in
      // `Fl` writes the first hyphen.
      (string(name, "kind") == "short" ? "" : "\\-") + escaped(string(name, "name"))
    }
    return names.map { "Fl \($0)" }.joined(separator: " , ")
      + (string(argument, "kind") == "option" ? " Ar \(value)" : "")
  }

  /// The paragraphs of a text; lines that follow each other without an empty one stay lines.
  private func paragraphs(_ text: String) -> [String] {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let trimmed = String(line.drop { $0 == " " })
      if trimmed.isEmpty {
        if lines.last != ".Pp", !lines.isEmpty { lines.append(".Pp") }
      } else {
        if let last = lines.last, last != ".Pp" { lines.append(".br") }
        lines.append(escaped(trimmed))
      }
    }
    while lines.last == ".Pp" { lines.removeLast() }
    return lines
  }

  /// A text without any meaning for the formatter: backslashes, hyphens, other characters than
  /// ASCII, and dots and apostrophes at the beginning of a line.
  private func escaped(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": safe += "\\e"
      case "-": safe += "\\-"
      case "\n": safe += " "
      case _ where scalar.isASCII: safe.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        safe += "\\[u" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits + "]"
      }
    }
    return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
  }
}
#endif
