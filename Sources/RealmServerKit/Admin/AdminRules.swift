// SPDX-License-Identifier: Apache-2.0

// The rules of an app on the server's page: those of its file, and others that are checked before
// the operator writes them there. Nothing is applied.

#if Server
import RealmFormats
import RealmPages
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

/// Reads and checks the rules of an app.
struct AdminRules {
  /// Rules that the page asks about.
  struct Request {
    /// The members "roles" or "permissions", and "values", of an object of JSON.
    let text: String
    /// A class and a user whose rights the answer explains.
    let asked: (className: String, user: String)?
  }

  let app: ServedApp
  let reader: AdminReader
  let options: ServerOptions

  /// The rules of the file as it is now.
  func read() async throws(PageFailure) -> JSONValue {
    let file = try await reader.file(of: app.file.id)
    return [
      "text": .string(IndentedJSON.text(file.rules)),
      "stage": .string(try stage(of: file).rawValue),
      "file": .string("apps/\(file.id)/app.json"),
    ]
  }

  /// Checks other rules, as if the file had them.
  func check(_ request: Request) async throws(PageFailure) -> JSONValue {
    let file = try await reader.file(of: app.file.id)
    let checked: AppFile
    do throws(AppFileError) {
      checked = try file.replacingRules(by: Array(request.text.utf8))
    } catch {
      return [
        "correct": .bool(false), "error": .string("The text \(error.message)."),
        "line": JSONValue(error.line), "column": JSONValue(error.column),
      ]
    }
    var explanation: String?
    if let (className, user) = request.asked {
      explanation = try await self.explanation(of: className, for: user, by: checked)
    }
    let misfits = checked.roles.misfits(in: app.schema.schema)
    return [
      "correct": .bool(true), "misfits": .array(misfits.map { .string($0) }),
      "explanation": JSONValue(explanation),
    ]
  }

  /// The rights of a user to the objects of a class by the rules of a file, in sentences.
  func explanation(
    of className: String, for id: String, by file: AppFile
  ) async throws(PageFailure) -> String {
    let user: RuleUser
    do throws(SessionRefusal) {
      user = try await app.api.accounts.ruleUser(id)
    } catch {
      throw PageFailure(404, "There is no such user, or it is disabled.")
    }
    guard try stage(of: file) == .production else {
      return "The app is in development mode: every user reads and writes everything."
    }
    guard file.mode == .flexible else {
      return "The permission of the partition decides: realm-server rules explain names it."
    }
    return RoleExplanation(file.roles, of: user, className: className).description
  }

  private func stage(of file: AppFile) throws(PageFailure) -> AppStage {
    do throws(ServerFailure) {
      return try options.stage(of: file, at: "")
    } catch {
      throw PageFailure(500, error.description)
    }
  }
}

extension AdminRules.Request {
  init(_ body: [UInt8]) throws(PageFailure) {
    guard let json = try? JSONParser.parse(body), let text = json["text"]?.string else {
      throw PageFailure(400, "A check needs a \"text\" with rules.")
    }
    self.text = text
    let (name, user) = (json["class"]?.string ?? "", json["user"]?.string ?? "")
    guard user.isEmpty || !name.isEmpty else {
      throw PageFailure(400, "The rights of a user are those to the objects of a \"class\".")
    }
    asked = user.isEmpty ? nil : (name, user)
  }
}
#endif
