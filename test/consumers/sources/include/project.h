#pragma once
#define PROJECT_VALUE 40
