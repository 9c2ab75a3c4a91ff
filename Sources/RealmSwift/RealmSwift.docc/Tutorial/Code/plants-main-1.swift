import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let house = try await Greenhouse()

switch (arguments.first, arguments.count) {
case ("add", 3):
  try await house.add(arguments[1], every: Int(arguments[2]) ?? 7)
case ("water", 2):
  let isThere = try await house.water(arguments[1])
  print(isThere ? "Done." : "There is no \(arguments[1]).")
case ("list", 1):
  for line in await house.lines() { print(line) }
default:
  print("add NAME DAYS | water NAME | list")
}
